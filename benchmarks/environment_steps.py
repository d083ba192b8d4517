"""Steps a second of the environments for reinforcement learning: one game, and many at once.

    python benchmarks/environment_steps.py

Observations and masks are included, drawing the actions is not. Processor time, so that other work on the machine
counts little; the two sides of a ratio alternate, and the medians of the rounds count. The last column is the share of
a single game's step that the core takes, with the call of it; the rest is Python. Ends with an error if 256 games gain
less than LIMITS say.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import sandtable.adapters.gymnasium  # noqa: F401  registers the environments

CASES = {
    "tubstap ford graph, greedy": ("Tubstap", {"map": "ford", "opponent": "greedy", "observation": "graph"}),
    "tubstap ford image, greedy": ("Tubstap", {"map": "ford", "opponent": "greedy", "observation": "image"}),
    "tubstap ford tokens, greedy": ("Tubstap", {"map": "ford", "opponent": "greedy", "observation": "tokens"}),
    "tubstap ford graph, random": ("Tubstap", {"map": "ford", "opponent": "random", "observation": "graph"}),
    "conquest italy graph, random": ("Conquest", {"map": "italy", "opponent": "random", "actions": "shares"}),
}
# How many times as many steps 256 games should make: four fifths of what they made when the environments were written.
LIMITS = {
    "tubstap ford graph, greedy": 4.4,
    "tubstap ford image, greedy": 3.7,
    "tubstap ford tokens, greedy": 2.5,
    "tubstap ford graph, random": 4.6,
    "conquest italy graph, random": 3.2,
}
GAMES = 256


def drawn(masks: NDArray[Any] | None, env: Any, rng: np.random.Generator) -> Any:
    """A legal action for each row of masks, or rows of shares."""
    if masks is None:
        return rng.random(env.action_space.shape, np.float32)
    chances = rng.random(masks.shape, np.float32) * masks
    return chances.argmax(-1)


def seconds(env: Any, steps: int, rng: np.random.Generator, native: bool = False) -> float:
    """Of so many steps; with `native` of what the core does of them."""
    _, info = env.reset(seed=int(rng.integers(2**31)))
    spent, many = 0.0, hasattr(env, "num_envs")
    for _ in range(steps):
        action = drawn(info.get("action_mask"), env, rng)
        if native:
            action = np.atleast_1d(action) if "action_mask" in info else action.reshape(-1, action.shape[-1])
            begin = time.process_time()
            env.unwrapped._group.step(np.ascontiguousarray(action))
            spent += time.process_time() - begin
            native_info = env.unwrapped._info()
            ended = bool(env.unwrapped._group.native.outcomes[0])
        else:
            begin = time.process_time()
            _, _, terminated, _, native_info = env.step(action)
            spent += time.process_time() - begin
            ended = bool(np.any(terminated))
        info = native_info
        if ended and not many:
            _, info = env.reset()
    return spent


def measured(kind: str, options: dict[str, Any], games: int, steps: int, rounds: int) -> tuple[float, float, float]:
    """Steps a second of one game, of many, and the share of a single step's time that is the core's."""
    single: Any = gymnasium.make(f"sandtable/{kind}-v0", **options)
    vector: Any = gymnasium.make_vec(f"sandtable/{kind}-v0", games, **options)
    rng = np.random.default_rng(1)
    found: list[tuple[float, float, float]] = []
    for _ in range(rounds):
        one = seconds(single, steps, rng) / steps
        core = seconds(single, steps, rng, native=True) / steps
        count = max(1, 16 * steps // games)
        all_of_them = seconds(vector, count, rng) / (count * games)
        found.append((1 / one, 1 / all_of_them, core / one))
    rates = [statistics.median(column) for column in zip(*found, strict=True)]
    return rates[0], rates[1], rates[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--steps", type=int, default=1000, help="of the single game in a round")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    held = True
    print(f"{'':30}{'one game':>12}{f'{given.games} games':>14}{'ratio':>8}{'should be':>11}{'core, of one':>14}")
    for name, (kind, options) in CASES.items():
        one, many, share = measured(kind, options, given.games, given.steps, given.rounds)
        limit = LIMITS[name] if given.games >= GAMES else 0.0
        held &= many / one >= limit
        print(f"{name:30}{one:>10,.0f}/s{many:>12,.0f}/s{many / one:>8.1f}{limit:>11.1f}{share:>14.0%}", flush=True)
    if not held:
        raise SystemExit("not as many times as many steps as it should be")


if __name__ == "__main__":
    main()
