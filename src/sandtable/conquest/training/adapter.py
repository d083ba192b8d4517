"""Conquest's part of a training by self-play, as the trainer asks for it."""

from sandtable.conquest.training import losses, self_play
from sandtable.learn.adapter import TrainingAdapter

TRAINING = TrainingAdapter.of(self_play, losses.losses)
