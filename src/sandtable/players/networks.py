"""The setting `runtime`, which players with a network share."""

from sandtable.nets.evaluators import RUNTIMES
from sandtable.settings import setting

RUNTIME = setting(
    "auto", "runtime of the network; auto: native if the core can run it, else an installed one", words=RUNTIMES
)
