"""Bots of a few lines of Python that behave well, except at one move."""

import sys
from pathlib import Path

# `misbehave` is called instead of answering the second `move`; `message` is the request.
SKELETON = """
import json, os, sys, time

def send(**message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()

def legal():
    send(type="moves", count=1)
    return json.loads(sys.stdin.readline())["moves"][0]

def misbehave(message):
{misbehaviour}

asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="hello", version=1, name="tiny", games=["tubstap", "conquest"])
    elif message["type"] == "start":
        send(type="ready")
    elif message["type"] == "move":
        asked += 1
        if asked == 2:
            misbehave(message)
        else:
            send(type="move", id=message["id"], move=legal())
    elif message["type"] == "end":
        break
"""
GOOD = 'send(type="move", id=message["id"], move=legal())'


def program(folder: Path, misbehaviour: str = GOOD, name: str = "tiny.py") -> str:
    """The command of a bot that executes `misbehaviour` at its second move."""
    body = "\n".join(f"    {line}" for line in misbehaviour.strip().splitlines())
    return raw_program(folder, SKELETON.replace("{misbehaviour}", body), name)


def raw_program(folder: Path, code: str, name: str = "raw.py") -> str:
    """The command of a program."""
    path = folder / name
    path.write_text(code)
    return f"{sys.executable} -I -S {path}"
