"""How a training process keeps its memory."""

import platform
import subprocess
import sys

import pytest

# Prints the page faults of some updates of a network.
PROGRAM = """
import resource, sys, torch
from sandtable.nets.architectures import POLICIES
torch.set_num_threads(1)
if sys.argv[1] == "prepared":
    from sandtable.learn.processor import prepare_for_training
    prepare_for_training()
module = POLICIES["kimura_sep_4"].build(dropout=0.3).train()
planes = torch.rand(200, 5, 6, 6)
def update():
    values, logits = module(planes)
    (values.sum() + logits.sum()).backward()
for _ in range(2):
    update()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(4):
    update()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back in this way")
def test_memory_that_an_update_frees_is_kept_for_the_next() -> None:
    assert faults("prepared") < 0.3 * faults("as it is")
