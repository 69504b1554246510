"""What builds the project's own pages and embedded files; not part of the package."""
