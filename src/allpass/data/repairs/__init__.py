"""What is checked and mended on every graph that a user brings."""
