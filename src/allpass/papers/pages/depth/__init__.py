"""The page of the study of depth."""
