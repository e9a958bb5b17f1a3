"""The compiled loop: random streams and the runner, which know nothing of any policy.

contract    what a compiled policy is given, and what it must provide; no numba needed
compiled    the two decorators of compiled functions, and where their machine code is kept
streams     xoshiro256++ and a ziggurat, keyed by (seed, role, replicate, action)
runner      one loop over rounds for every policy: choose, observe, update
"""
