"""Values and policies of a finite process: exact, by iteration, and from samples."""
