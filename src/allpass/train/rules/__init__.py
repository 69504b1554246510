"""What a training is told by name: task and score, optimiser, when it ends, which epoch is reported."""
