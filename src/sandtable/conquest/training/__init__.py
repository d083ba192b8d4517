"""Conquest's part of a training by self-play."""
