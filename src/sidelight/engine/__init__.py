"""The compiled loop: random streams and the runner. Neither depends on any policy.

contract    what a compiled policy is given, and what it must provide; no numba needed
intrinsics  three things that numba does not offer
streams     xoshiro256++ and a ziggurat, keyed by (seed, role, replicate, action)
draws       the noise of a replicate, and how one value changes the belief
delays      values that come late
runner      one loop over rounds for every policy: choose, observe, update
"""
