"""Searches on games written in Python."""

import sandtable._core


def uct(own: object, settings: sandtable._core.UctSettings, *, seconds: float = 0.0, seed: int) -> sandtable._core.SearchResult:
    """As tubstap.uct()."""

def pmc(own: object, settings: sandtable._core.PmcSettings, *, seconds: float = 0.0, seed: int) -> sandtable._core.SearchResult:
    """As tubstap.pmc()."""

def minimax(own: object, settings: sandtable._core.MinimaxSettings, *, seed: int) -> sandtable._core.SearchResult:
    """
    As tubstap.minimax(); unfinished games are judged by their estimate(side), or as even.
    """

def duct(own: object, player: int, settings: sandtable._core.DuctSettings, *, seconds: float = 0.0, seed: int) -> tuple[sandtable._core.SearchResult, list[float], list[float]]:
    """As conquest.duct()."""

def regret(own: object, player: int, settings: sandtable._core.RegretSettings, *, seconds: float = 0.0, seed: int) -> tuple[sandtable._core.SearchResult, list[float], list[float]]:
    """As conquest.regret()."""
