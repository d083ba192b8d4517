"""What players with a network share."""

from sandtable.nets.evaluators import RUNTIMES
from sandtable.settings import setting

RUNTIME = setting("auto", "runs the network; auto: the first that is installed", words=RUNTIMES)
