"""Conquest's part of self-play training."""
