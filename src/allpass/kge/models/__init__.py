"""The models of triplets, one file each."""
