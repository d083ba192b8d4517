"""Learning: data sets from records, supervised training."""
