"""What the study of auxiliary tasks measures."""
