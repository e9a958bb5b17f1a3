"""A service on an example experiment, and the three calls that try it.

    python examples/serve.py [FOLDER [PORT]]

`make serve` runs this. Events and tokens are in FOLDER, which may be there already. The token is
made anew at every start, since only its hash is kept.
"""

import json
import sys
from pathlib import Path

import sidelight as sl
from sidelight.serve.run import serve
from sidelight.serve.settings import PORT, Settings
from sidelight.serve.tokens import TokenFile

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out/serve")
if sys.argv[2:] and not sys.argv[2].isdigit():
    sys.exit(f"the port is a number, not {sys.argv[2]!r}: python examples/serve.py FOLDER 7733")
port = int(sys.argv[2]) if sys.argv[2:] else PORT
folder.mkdir(parents=True, exist_ok=True)
settings = Settings(str(folder / "sidelight.db"), folder / "sidelight.db.tokens", port=port)

problem = sl.load(Path(__file__).parent / "dosing.toml")
try:
    with sl.open(settings.where, problem, policy="ids", seed=7, experiment="dosing") as dosing:
        following = dosing.rounds + 1
        coming = dosing.learner.place(dosing.verdict().next)  # what the first call will answer
        seen = {label: problem.means[dosing.learner.place(label)] for label in dosing.shown(coming)}
except sl.InputError as error:  # such as: the service runs already
    sys.exit(str(error))

tokens = TokenFile(settings.tokens)
if any(token.name == "example" for token in tokens.all()):
    tokens.revoke("example")
secret, _ = tokens.add("example", "decide", "dosing", "1d")

where = f"http://127.0.0.1:{port}/v1/experiments/dosing"
headers = f'-H "authorization: Bearer {secret}" -H "content-type: application/json"'
print(f"""
Ask what to do, tell what was seen of it, and see what is known; Ctrl-C ends the service.

curl -sS {where}/decisions {headers} -d '{{"key": "visit-{following}"}}'

curl -sS {where}/observations {headers} \\
  -d '{{"items": [{{"decision": {following}, "values": {json.dumps(seen)}, "last": true}}]}}'

curl -sS {where}/verdict {headers}
""", flush=True)  # fmt: skip
serve(settings)
