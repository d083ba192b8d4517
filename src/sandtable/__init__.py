"""Sandtable: a laboratory for turn-based strategy AI.

>>> import sandtable as st
>>> state = st.tubstap.load("crossroads").start()
>>> state.play(state.moves()[0])
"""

from sandtable import conquest, tubstap
from sandtable.errors import MapError, RulesError, SandtableError

__version__ = "0.1.0"

__all__ = ["MapError", "RulesError", "SandtableError", "__version__", "conquest", "tubstap"]
