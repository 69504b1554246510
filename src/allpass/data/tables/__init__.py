"""Edge and node tables as graphs."""
