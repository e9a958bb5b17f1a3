"""A compiled policy."""

import math

from sidelight.kit import Need, compiled_policy, first_largest_index, inlined, sqrt

from .waiting import begins


@inlined
def choose(t, belief, known, parameters, memory, stream):
    if begins(t, known.observer.size, parameters[1]):
        return known.observer[(t - 1) % known.observer.size], 0
    return first_largest_index(belief.means, belief.errors, sqrt(parameters[0] * math.log(t))), 1


PATIENT_UCB = compiled_policy(
    choose,
    parameters={"exploration": 2.0, "looks": 3.0},
    words=("initial", "optimism"),
    needs=(Need.SELF_OBSERVATION,),
    summary="look at every action several times, then play the largest upper confidence bound",
)
