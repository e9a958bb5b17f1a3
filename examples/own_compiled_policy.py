"""A compiled policy of your own: a function on plain arrays, as fast as a built-in policy.

    sidelight race dosing.toml -p ids -p own_compiled_policy.py:OPTIMIST:exploration=1

The arguments are those of the built-in policies: the round t = 1, 2, ...; the belief (`means`,
`errors` = 1/sqrt(information), `information`, `plays`); what is known beforehand (`observer[j]` is
the action that shows j best); the parameters in their order; a memory, which `update` may write;
and a stream of random numbers, for `uniform(stream)` and `normal(stream)`. The answer is an action
and why: a place in `words`.

It is compiled at the first use, which takes some seconds, and kept on disk. NUMBA_DISABLE_JIT=1
runs it as plain Python, where a debugger can step through it.
"""

import math

from sidelight.kit import Need, compiled_policy, first_largest_index, inlined, sqrt


@inlined
def choose(t, belief, known, parameters, memory, stream):
    if t <= known.observer.size:
        return known.observer[t - 1], 0
    width = sqrt(parameters[0] * math.log(t))
    return first_largest_index(belief.means, belief.errors, width), 1


OPTIMIST = compiled_policy(
    choose,
    parameters={"exploration": 2.0},
    words=("initial", "optimism"),
    needs=(Need.SELF_OBSERVATION,),
    summary="the largest upper confidence bound",
)
