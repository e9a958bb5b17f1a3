"""Studies: many races that resume where they stopped, on one machine or on many.

reading     the study file
plan        Study -> races -> cells
cells       one file each, named after everything it depends on
store       the folder of finished cells
crews       threads and processes; cluster: Dask
run         compute what is missing, join it, explain it
reuse       replicates that are there already, in other blocks
loading     what is there, as data: Results, a frame (frame), a figure (sweep)
compare     two of them, policy by policy
"""

from . import manifest
from .cells import Cell
from .crews import Crew, CrewError, Processes, Threads, crew
from .loading import Loaded, load, load_study
from .plan import Race, Study, blocks
from .reading import is_study, read, to_toml
from .run import Outcome, State, check_own, compute, explain, run
from .store import Store

__all__ = [
    "Cell",
    "Crew",
    "CrewError",
    "Loaded",
    "Outcome",
    "Processes",
    "Race",
    "State",
    "Store",
    "Study",
    "Threads",
    "blocks",
    "check_own",
    "compute",
    "crew",
    "explain",
    "is_study",
    "load",
    "load_study",
    "manifest",
    "read",
    "run",
    "to_toml",
]
