"""Learning: data sets from records, supervised training, training by self-play."""
