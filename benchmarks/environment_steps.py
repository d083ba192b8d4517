"""Steps per second of the environments for reinforcement learning: one game, and many at once.

    python benchmarks/environment_steps.py

The time of a step includes observations and masks, but not the choice of actions. It is processor time, so that other
work on the machine matters little; the two sides of a ratio alternate, and medians over the rounds are printed. The
last column is the share of a single game's step that the core takes, including the call; the rest is Python. Ends with
an error if the ratio of 256 games is below LIMITS.
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
# The least ratio of the rates of 256 games and one: four fifths of the ratio when the environments were written.
LIMITS = {
    "tubstap ford graph, greedy": 4.4,
    "tubstap ford image, greedy": 3.7,
    "tubstap ford tokens, greedy": 2.5,
    "tubstap ford graph, random": 4.6,
    "conquest italy graph, random": 3.2,
}
GAMES = 256


def random_actions(masks: NDArray[Any] | None, env: Any, rng: np.random.Generator) -> Any:
    """A random legal action for each row of the masks; without masks, random shares."""
    if masks is None:
        return rng.random(env.action_space.shape, np.float32)
    chances = rng.random(masks.shape, np.float32) * masks
    return chances.argmax(-1)


def seconds(env: Any, steps: int, rng: np.random.Generator, native: bool = False) -> float:
    """The processor time of `steps` steps; with `native`, of the core's part of them."""
    _, info = env.reset(seed=int(rng.integers(2**31)))
    spent, many = 0.0, hasattr(env, "num_envs")
    for _ in range(steps):
        action = random_actions(info.get("action_mask"), env, rng)
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
    """Steps per second of one game and of many, and the core's share of the time of a single game's step."""
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
    parser.add_argument("--steps", type=int, default=1000, help="steps of the single game in each round")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    reached = True
    print(f"{'':30}{'one game':>12}{f'{given.games} games':>14}{'ratio':>8}{'limit':>11}{'core share':>14}")
    for name, (kind, options) in CASES.items():
        one, many, share = measured(kind, options, given.games, given.steps, given.rounds)
        limit = LIMITS[name] if given.games >= GAMES else 0.0
        reached &= many / one >= limit
        print(f"{name:30}{one:>10,.0f}/s{many:>12,.0f}/s{many / one:>8.1f}{limit:>11.1f}{share:>14.0%}", flush=True)
    if not reached:
        raise SystemExit("the speed-up is below the limit")


if __name__ == "__main__":
    main()
