"""Pages of tables of accuracies."""
