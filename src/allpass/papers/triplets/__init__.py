"""What the study of triplet embeddings measures, and what PyKEEN reached."""
