"""From a log to an answer: which way of travelling to try, and what trying costs.

In 1987, 210 travellers between Sydney, Canberra and Melbourne went by air, train, bus or car, and
it was written down what each way would have cost them: its generalized cost, money plus the value
of time, in dollars (Greene and Hensher; statsmodels ships the table). A trip is a play of the way
that was taken, and it shows all four. Somebody who advises such travellers, one after the other,
wants to advise the cheapest way.

    python examples/travel.py FOLDER

writes FOLDER/travel.csv, fits a problem to it, analyses the problem, and races policies over the
means that so few trips leave open. The last lines say which policy to use, what it costs in
dollars, and what advising as the travellers chose costs. The fit finds what is special about this
log: whoever takes the train lives where trains are good, and the trains that others see are dearer.
So some side values are biased, and the fit leaves them out.
"""

import sys
from pathlib import Path

from statsmodels.datasets import modechoice

from sidelight.cli import cli

WAYS = {1: "air", 2: "train", 3: "bus", 4: "car"}

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
log, problem = folder / "travel.csv", folder / "travel.toml"

table = modechoice.load_pandas().data
table["observed"] = table["mode"].map(WAYS)
taken = table[table["choice"] == 1].set_index("individual")["observed"]
table["played"] = table["individual"].map(taken)
table["value"] = -table["gc"]  # more is better, and a cost is not
table[["individual", "played", "observed", "value"]].to_csv(log, index=False)

for command in (
    f"fit {log} --round individual --shift 200 -o {problem} --force",
    f"analyze {problem} -T 1000",
    f"race {problem} -T 1000 -n 200 --seed 1 --means posterior -p ids -p greedy -p ucb-n",
):
    print(f"\n$ sidelight {command}\n", flush=True)
    cli(command.split(), standalone_mode=False)
