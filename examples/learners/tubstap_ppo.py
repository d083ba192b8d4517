"""Maskable PPO in TUBSTAP: a policy that learns against `greedy` and beats it, in half a minute of one core.

    python examples/learners/tubstap_ppo.py

An action is the operation of one unit or the end of the turn; the mask says which are legal. The games run in the core.
"""

from ppo import Settings, command

SETTINGS = Settings(
    environment="sandtable/Tubstap-v0",
    map="kimura-map01",
    options={"observation": "image"},
    opponents={"greedy": 64},
    steps=250_000,
    steps_per_update=64,
    batch=512,
    epochs=4,
    learning_rate=1e-3,
    discount=0.99,
    entropy_weight=0.01,
    layers=(128, 128),
    shaping=0.5,
)

if __name__ == "__main__":
    command(SETTINGS, {"random": 1000, "greedy": 1000})
