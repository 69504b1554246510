"""What networks cost: parameters, operations and the time of an epoch, by formula and counted."""
