"""What the study of transitions measures."""
