"""Levels: players of graded strength, from a beginner's to the champion's, each with a name that people remember."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """`spec` is the player, with a count as its budget, so that a level is equally strong on every machine."""

    name: str
    title: str
    spec: str
    about: str
