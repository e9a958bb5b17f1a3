"""From a log of plays to a problem: what was seen, how noisily, and what it earns.

from_log     the door: a frame or a file becomes a problem         fit.py
read         rows, whatever they came in                           rows.py
estimate     the mathematics: noise, means, errors and doubts      estimates.py
"""

from .fit import Fit, LoggedProblem, LoggedSetting, from_log

__all__ = ["Fit", "LoggedProblem", "LoggedSetting", "from_log"]
