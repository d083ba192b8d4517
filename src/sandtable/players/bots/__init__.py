"""Players that are programs of their own, in any language.

`process` runs a program and exchanges lines with it; `messages` is the protocol of docs/protocol.md; `bot` puts the two
together as a player, and `serving` is the other side: a player of ours as a program.
"""
