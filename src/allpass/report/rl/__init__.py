"""Pages and pictures of Markov decision processes."""
