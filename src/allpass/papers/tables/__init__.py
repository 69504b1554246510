"""Tables of accuracies: what was printed, ours by the same protocol and settings, and ours honestly."""
