"""Conquest's adapter for self-play training."""

from sandtable.conquest.training import losses, self_play
from sandtable.learn.adapter import TrainingAdapter

TRAINING = TrainingAdapter.of(self_play, losses.losses)
