"""What came of a training, kept: its key and numbers, and the file that holds them."""
