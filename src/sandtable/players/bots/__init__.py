"""Players that are separate programs, in any language.

`process` runs a program and exchanges lines with it; `messages` is the protocol of docs/protocol.md; `bot` combines
the two into a player; `serving` is the other side of the protocol: a player of this package as a program.
"""
