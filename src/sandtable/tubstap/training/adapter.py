"""TUBSTAP's part of a training by self-play, as the trainer asks for it."""

from sandtable.learn.adapter import TrainingAdapter
from sandtable.tubstap.training import losses, self_play

TRAINING = TrainingAdapter.of(self_play, losses.losses)
