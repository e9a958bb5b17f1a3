"""The table as SQLAlchemy knows it, and the steps that bring a database up to date.

A step is a file in `migrations/versions`. Steps have an order, each names the one before, and none
is edited after its release: a database remembers (in `sidelight_schema`) the last step it took.
Alembic is imported only where a step is to be taken: it takes as long as opening a store.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from ..errors import InputError

if TYPE_CHECKING:
    from alembic.config import Config

VERSIONS = "sidelight_schema"

metadata = sa.MetaData()
event = sa.Table(
    "event",
    metadata,
    sa.Column("experiment", sa.Text, primary_key=True),
    sa.Column("n", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("key", sa.Text),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
_version = sa.table(VERSIONS, sa.column("version_num"))

LATEST = "0001"  # a test compares it with the steps: reading them takes longer than opening a store


def steps() -> list[str]:
    """The names of the steps, the first one first."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - see above

    script = ScriptDirectory.from_config(_config())
    return [step.revision for step in script.walk_revisions()][::-1]


def needs_work(connection: sa.Connection, where: str) -> bool:
    """Whether the database is empty or of an older version; an error where it is not ours."""
    tables = set(sa.inspect(connection).get_table_names())
    if VERSIONS not in tables:
        foreign = tables if connection.dialect.name == "sqlite" else tables & {event.name}
        if foreign:
            named = ", ".join(sorted(foreign)[:5])
            raise InputError(f"{where}: a database of something else ({named}): name another")
        return True
    found = connection.scalar(sa.select(_version.c.version_num))
    if found == LATEST:
        return False
    if found not in steps():
        raise InputError(f"{where}: written by a newer sidelight (step {found}): update sidelight")
    return True


def upgrade(connection: sa.Connection) -> None:
    """Take the steps that are missing, in the transaction of the caller."""
    from alembic import command  # noqa: PLC0415 - see above

    config = _config()
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSIONS
    command.upgrade(config, "head")


def _config() -> Config:
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    folder = str(Path(__file__).parent / "migrations").replace("%", "%%")
    config.set_main_option("script_location", folder)
    config.set_main_option("path_separator", "os")
    return config
