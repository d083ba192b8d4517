"""The setting `runtime`, which players with a network share."""

from sandtable.nets.evaluators import RUNTIMES
from sandtable.settings import setting

RUNTIME = setting(
    "auto", "runs the network; auto: native if the core can run it, else what is installed", words=RUNTIMES
)
