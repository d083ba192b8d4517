"""Both games for PettingZoo: `tubstap_v0.env(map="ford")`, `conquest_v0.parallel_env(map="italy")`."""

from sandtable.adapters.pettingzoo import conquest_v0 as conquest_v0
from sandtable.adapters.pettingzoo import tubstap_v0 as tubstap_v0

__all__ = ["conquest_v0", "tubstap_v0"]
