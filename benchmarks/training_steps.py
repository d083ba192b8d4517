"""Time the forward and backward pass of an update of kimura2020's network.

    python benchmarks/training_steps.py [--rows 200] [--rounds 9]

Compares PyTorch's dropout with ours, and freed memory given back to the system with freed memory kept. Prints
milliseconds of processor time, the median over rounds. Each combination has a process of its own; rounds alternate
between them, so that they see the same noise.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from statistics import median

WAYS = [(dropout, kept) for dropout in ("pytorch's", "ours") for kept in (False, True)]
NETWORK = "kimura_sep_8_affine"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=200, help="rows of a batch; one of 128 positions has about 200")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    processes = multiprocessing.get_context("spawn")
    ends = []
    for dropout, kept in WAYS:
        here, there = processes.Pipe()
        processes.Process(target=_serve, args=(there, dropout, kept, arguments.rows), daemon=True).start()
        ends.append(here)
    times: list[list[float]] = [[] for _ in WAYS]
    for _ in range(arguments.rounds):
        for end, taken in zip(ends, times, strict=True):
            end.send(True)
            taken.append(end.recv())
    for end in ends:
        end.send(False)
    print(f"| dropout | freed memory | ms per update of {NETWORK} |\n|---|---|---|")
    for (dropout, kept), taken in zip(WAYS, times, strict=True):
        print(f"| {dropout} | {'kept' if kept else 'given back'} | {1000 * median(taken):.0f} |")


def _serve(asked: Connection, dropout: str, kept: bool, rows: int) -> None:
    """Time an update at each request."""
    step = _step(dropout, kept, rows)
    step()
    while asked.recv():
        begin = time.process_time()
        step()
        asked.send(time.process_time() - begin)


def _step(dropout: str, kept: bool, rows: int) -> Callable[[], None]:
    import torch

    from sandtable.learn.processor import prepare_for_training
    from sandtable.nets import dropout as ours
    from sandtable.nets.architectures import POLICIES

    torch.set_num_threads(1)
    if kept:
        prepare_for_training()
    module = POLICIES[NETWORK].build(dropout=0.3).train()
    if dropout != "ours":
        for parent in list(module.modules()):
            for name, child in parent.named_children():
                if isinstance(child, ours.Dropout):
                    setattr(parent, name, torch.nn.Dropout(child.p))
    planes = torch.rand(rows, 5, 6, 6)

    def step() -> None:
        values, logits = module(planes)
        (values.square().mean() + logits.logsumexp(1).mean()).backward()

    return step


if __name__ == "__main__":
    main()
