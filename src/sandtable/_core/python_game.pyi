"""Searches on games written in Python."""

import sandtable._core
import sandtable.analysis


def uct(own: object, settings: sandtable._core.UctSettings, *, seconds: float = 0.0, seed: int) -> sandtable.analysis.SearchResult:
    """As tubstap.uct()."""

def pmc(own: object, settings: sandtable._core.PmcSettings, *, seconds: float = 0.0, seed: int) -> sandtable.analysis.SearchResult:
    """As tubstap.pmc()."""

def minimax(own: object, settings: sandtable._core.MinimaxSettings, *, seed: int) -> sandtable.analysis.SearchResult:
    """
    As tubstap.minimax(); unfinished games are evaluated by their estimate(side), or as even.
    """

def duct(own: object, player: int, settings: sandtable._core.DuctSettings, *, seconds: float = 0.0, seed: int) -> tuple[sandtable.analysis.SearchResult, list[float], list[float]]:
    """As conquest.duct()."""

def regret(own: object, player: int, settings: sandtable._core.RegretSettings, *, seconds: float = 0.0, seed: int) -> tuple[sandtable.analysis.SearchResult, list[float], list[float]]:
    """As conquest.regret()."""
