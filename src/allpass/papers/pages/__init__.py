"""Pages of results: what the rows of a study say, as text, tables and pictures."""
