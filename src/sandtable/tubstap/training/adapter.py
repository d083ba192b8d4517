"""TUBSTAP's adapter for self-play training."""

from sandtable.learn.adapter import TrainingAdapter
from sandtable.tubstap.training import losses, self_play

TRAINING = TrainingAdapter.of(self_play, losses.losses)
