"""TUBSTAP's part of a training by self-play, as the trainer asks for it."""

from sandtable.learn.adapter import TrainingAdapter
from sandtable.tubstap.training import losses, self_play

TRAINING = TrainingAdapter(
    play=self_play.play,
    save=self_play.save,
    load=self_play.load,
    rounded=self_play.rounded,
    samples=self_play.samples,
    losses=losses.losses,
    player=self_play.player,
)
