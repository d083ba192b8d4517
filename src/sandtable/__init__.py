"""Sandtable: a laboratory for turn-based strategy AI.

>>> import sandtable as st
>>> state = st.tubstap.load("crossroads").start()
>>> state.play(state.moves()[0])
"""

from importlib.metadata import version

from sandtable import conquest, tubstap
from sandtable.errors import MapError, RulesError, SandtableError

__version__ = version("sandtable")

__all__ = ["MapError", "RulesError", "SandtableError", "__version__", "conquest", "tubstap"]
