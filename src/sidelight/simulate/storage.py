"""Results in a Parquet file: one row for each policy and replicate, and the provenance with them.

    policy: text, replicate: int, regret: list of floats (one for each checkpoint),
    plays: list of ints (one for each action)

The file's metadata has, under the key `sidelight`, a JSON object with everything that is needed to
get the same bytes again: versions, seed, horizon, checkpoints, parameters, the problem. Under
`sidelight.sha256` it has the SHA-256 of the whole file, taken with 64 zeros in the place of the sum
itself: readers of Parquet do not notice most damage, this sum notices all of it, before any of the
file is parsed. The same results give the same bytes, with the same version of polars.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import files
from ..document import from_table
from ..engine.contract import Floats, Ints
from ..errors import InputError
from ..problem import Problem, from_document

if TYPE_CHECKING:
    import polars as pl

    from .results import Results

FORMAT = 1
KEY, SUM = "sidelight", "sidelight.sha256"
COLUMNS = ("policy", "replicate", "regret", "plays")
# In the footer a value follows its key after the type of a string and its length, 64.
_SUM = re.compile(SUM.encode().replace(b".", rb"\.") + rb"\x18\x40([0-9a-f]{64})")
_ZEROS = b"0" * 64


def to_bytes(results: Results) -> bytes:
    """The content of the file."""
    frame = _frame(results)
    stream = io.BytesIO()
    metadata = {KEY: json.dumps(_header(results), allow_nan=False), SUM: _ZEROS.decode()}
    frame.write_parquet(stream, compression="zstd", statistics=False, metadata=metadata)
    return sealed(stream.getvalue())


def from_bytes(content: bytes) -> dict[str, Any]:
    """The fields of the `Results` in a file; `InputError` if it is damaged or of another kind."""
    import polars as pl  # noqa: PLC0415 - slow to import

    if sealed(content) != content:
        raise InputError("the file is damaged: its checksum does not match. Use another copy")
    try:
        header = json.loads(pl.read_parquet_metadata(io.BytesIO(content))[KEY])
        if header["format"] != FORMAT:
            raise InputError(
                f"the file has format {header['format']}, this version reads {FORMAT}: "
                f"it was written by sidelight {header['provenance']['versions']['sidelight']}"
            )
        frame = pl.read_parquet(io.BytesIO(content))
        return _fields(header, frame)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"not a Parquet file of results: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"not a file of results: {error}") from None


def sealed(content: bytes) -> bytes:
    """The file with the right checksum in its place."""
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    found = _SUM.search(content, start) if start > 0 else None  # only the footer: names may lie
    if found is None:
        raise InputError("not a file that Results.save wrote, or a part of one")
    before, after = content[: found.start(1)], content[found.end(1) :]
    digits = hashlib.sha256(before + _ZEROS + after).hexdigest()
    return before + digits.encode() + after


def _frame(results: Results) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - slow to import

    policies, replicates, _ = results.regret.shape
    rows = policies * replicates
    each = np.arange(results.first, results.first + replicates, dtype=np.int64)
    number = np.tile(each, policies)
    return pl.DataFrame(
        {
            "policy": [name for name in results.policies for _ in range(replicates)],
            "replicate": number,
            "regret": _lists(results.regret.reshape(rows, -1)),
            "plays": _lists(results.plays.reshape(rows, -1)),
        }
    )


def _lists(rows: Floats | Ints) -> pl.Series:
    import polars as pl  # noqa: PLC0415

    flat = pl.Series(np.ascontiguousarray(rows).ravel())
    return flat.reshape(rows.shape).arr.to_list()  # as lists: every reader of Parquet knows them


def _header(results: Results) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "policies": list(results.policies),
        "first": results.first,
        "replicates": results.regret.shape[1],
        "horizon": results.horizon,
        "seed": results.seed,
        "checkpoints": results.checkpoints.tolist(),
        "problem": json.loads(files.to_json(results.problem.to_document())),
        "provenance": _plain(results.provenance),
    }


def _fields(header: Mapping[str, Any], frame: pl.DataFrame) -> dict[str, Any]:
    problem = from_document(from_table(header["problem"]), "the problem")
    if not isinstance(problem, Problem):
        raise InputError("the problem has no means")
    policies, first, replicates = tuple(header["policies"]), header["first"], header["replicates"]
    checkpoints = np.array(header["checkpoints"], dtype=np.int64)
    rows = len(policies) * replicates
    if tuple(frame.columns) != COLUMNS or len(frame) != rows:
        raise InputError(f"expected {rows} rows with the columns {', '.join(COLUMNS)}")
    regret = _numbers(frame["regret"], (len(policies), replicates, len(checkpoints)), np.float64)
    plays = _numbers(frame["plays"], (len(policies), replicates, len(problem)), np.int64)
    named = [name for name in policies for _ in range(replicates)]
    number = list(range(first, first + replicates)) * len(policies)
    if frame["policy"].to_list() != named or frame["replicate"].to_list() != number:
        raise InputError("the rows are not those of the policies and replicates in the header")
    return {
        "problem": problem,
        "policies": policies,
        "checkpoints": checkpoints,
        "regret": regret,
        "plays": plays,
        "seed": header["seed"],
        "horizon": header["horizon"],
        "provenance": _provenance(header["provenance"]),
        "first": first,
    }


def _numbers(column: pl.Series, shape: tuple[int, int, int], kind: type) -> Any:
    flat = column.explode(empty_as_null=True, keep_nulls=True).to_numpy()
    if flat.dtype != kind or (column.list.len() != shape[2]).any():
        raise InputError(f"{column.name} must have {shape[2]} numbers in each row")
    return flat.reshape(shape)


def _plain(value: Any) -> Any:
    """Provenance as JSON can hold it: an infinite parameter as the text "inf"."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _provenance(value: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {
        policy: {key: float(number) for key, number in given.items()}
        for policy, given in value["parameters"].items()
    }
    remarks = {
        policy: [str(remark) for remark in said]
        for policy, said in value.get("remarks", {}).items()
    }
    return {**value, "parameters": parameters, "remarks": remarks}
