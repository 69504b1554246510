"""What the study of values measures."""
