"""Races between policies on a problem whose truth is known, and traces of single runs.

    simulate    many replicates of several policies        simulate.py, crew.py (threads), own.py
    trace       every round of one replicate               trace.py
    Results     the regret of every policy and replicate   results.py
    join        blocks of replicates, put together         joining.py

`simulate` and `trace` are light doors: numba is imported when one of them is first called.
"""

from .joining import join
from .results import Results
from .simulate import simulate
from .trace import Trace, trace

__all__ = ["Results", "Trace", "join", "simulate", "trace"]
