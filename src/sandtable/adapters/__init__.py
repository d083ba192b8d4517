"""Sandtable's games for the libraries of reinforcement learning and of game research.

`pettingzoo` has both sides as agents, `gymnasium` one side against a player, in a single game or in many at once, and
`openspiel` both games for OpenSpiel's algorithms. Each needs its library: pip install 'sandtable[rl]' or
'sandtable[openspiel]'.
"""
