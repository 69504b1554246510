"""How deep a GCN trains: accuracy, and the sizes of signals and gradients in every layer before and after."""
