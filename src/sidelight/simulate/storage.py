"""Results in a Parquet file: one row for each policy and replicate, and the provenance with them.

    policy: text, replicate: int, regret: list of floats (one for each checkpoint),
    plays: list of ints (one for each action)

The file's metadata has, under the key `sidelight`, a JSON object with everything that is needed to
get the same bytes again: versions, seed, horizon, checkpoints, parameters, the problem (`header`
checks it). Under
`sidelight.sha256` it has the SHA-256 of the whole file, taken with 64 zeros in the place of the sum
itself: readers of Parquet do not notice most damage, this sum notices all of it, before any of the
file is parsed. The same results give the same bytes, with the same version of polars.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.contract import Floats, Ints
from ..errors import DamagedError, InputError
from . import header
from .header import FORMAT, Header

if TYPE_CHECKING:
    from ..tabular import pl
    from .results import Results

__all__ = ["FORMAT", "from_bytes", "sealed", "to_bytes"]

KEY, SUM = "sidelight", "sidelight.sha256"
COLUMNS = ("policy", "replicate", "regret", "plays")
# In the footer a value follows its key after the type of a string and its length, 64.
_SUM = re.compile(SUM.encode().replace(b".", rb"\.") + rb"\x18\x40([0-9a-f]{64})")
_ZEROS = b"0" * 64


def to_bytes(results: Results) -> bytes:
    """The content of the file."""
    try:
        text = json.dumps(header.to_table(results), allow_nan=False)
        header.parse(json.loads(text))
    except (TypeError, ValueError) as error:
        raise InputError(f"these results could not be read back: {error}") from None
    frame = _frame(results)
    stream = io.BytesIO()
    metadata = {KEY: text, SUM: _ZEROS.decode()}
    frame.write_parquet(stream, compression="zstd", statistics=False, metadata=metadata)
    return sealed(stream.getvalue())


def from_bytes(content: bytes) -> dict[str, Any]:
    """The fields of the `Results` in a file.

    `DamagedError` if they are not as they were written, `InputError` if a later version wrote them.
    """
    from ..tabular import pl  # noqa: PLC0415 - slow to import

    if sealed(content) != content:
        raise DamagedError("the file is damaged: its checksum does not match. Use another copy")
    try:
        found = header.parse(json.loads(pl.read_parquet_metadata(io.BytesIO(content))[KEY]))
        return _fields(found, pl.read_parquet(io.BytesIO(content)))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DamagedError(f"not a Parquet file of results: {error}") from None
    except header.OtherFormatError:
        raise
    except (KeyError, ValueError, RecursionError) as error:
        raise DamagedError(f"not a file of results: {error}") from None


def sealed(content: bytes) -> bytes:
    """The file with the right checksum in its place."""
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    found = _SUM.search(content, start) if start > 0 else None  # only the footer: names may lie
    if found is None:
        raise DamagedError("not a file that Results.save wrote, or a part of one")
    before, after = content[: found.start(1)], content[found.end(1) :]
    digits = hashlib.sha256(before + _ZEROS + after).hexdigest()
    return before + digits.encode() + after


def _frame(results: Results) -> pl.DataFrame:
    from ..tabular import pl  # noqa: PLC0415 - slow to import

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
    from ..tabular import pl  # noqa: PLC0415

    flat = pl.Series(np.ascontiguousarray(rows).ravel())
    return flat.reshape(rows.shape).arr.to_list()  # as lists: every reader of Parquet knows them


def _fields(found: Header, frame: pl.DataFrame) -> dict[str, Any]:
    policies, first, replicates = found.policies, found.first, found.replicates
    rows = len(policies) * replicates
    if tuple(frame.columns) != COLUMNS or len(frame) != rows:
        raise DamagedError(f"expected {rows} rows with the columns {', '.join(COLUMNS)}")
    shape = len(policies), replicates
    regret = _numbers(frame["regret"], (*shape, len(found.checkpoints)), np.float64)
    plays = _numbers(frame["plays"], (*shape, len(found.problem)), np.int64)
    named = [name for name in policies for _ in range(replicates)]
    number = list(range(first, first + replicates)) * len(policies)
    if frame["policy"].to_list() != named or frame["replicate"].to_list() != number:
        raise DamagedError("the rows are not those of the policies and replicates in the header")
    return {
        "problem": found.problem,
        "policies": policies,
        "checkpoints": np.array(found.checkpoints, dtype=np.int64),
        "regret": regret,
        "plays": plays,
        "seed": found.seed,
        "horizon": found.horizon,
        "provenance": found.provenance,
        "first": first,
    }


def _numbers(column: pl.Series, shape: tuple[int, int, int], kind: type) -> Any:
    flat = column.explode(empty_as_null=True, keep_nulls=True).to_numpy()
    if flat.dtype != kind or (column.list.len() != shape[2]).any():
        raise DamagedError(f"{column.name} must have {shape[2]} numbers in each row")
    return flat.reshape(shape)
