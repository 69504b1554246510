"""Speed as ratios: ours against named peers, measured in one run."""
