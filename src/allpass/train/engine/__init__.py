"""How replicas advance: their state, forward and gradient of all of them, the loop, and how many fit at once."""
