"""The table of events, which refuses every change of a row. Never edit this step: add another."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

REFUSED = "events are never changed or removed"

SQLITE = (
    f"""CREATE TRIGGER event_update BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END""",
    f"""CREATE TRIGGER event_delete BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END""",
    # INSERT OR REPLACE removes the row in its way without asking the trigger for DELETE.
    f"""CREATE TRIGGER event_replace BEFORE INSERT ON event
    WHEN EXISTS (SELECT 1 FROM event WHERE experiment = NEW.experiment AND n = NEW.n)
      OR EXISTS (SELECT 1 FROM event
                 WHERE experiment = NEW.experiment AND type = NEW.type AND key = NEW.key)
    BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END""",
)
POSTGRESQL = (
    f"""CREATE FUNCTION event_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '{REFUSED}'; END $$""",
    """CREATE TRIGGER event_change BEFORE UPDATE OR DELETE OR TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION event_refuse()""",
)


def upgrade() -> None:
    """Make the table, its index of keys, and the triggers."""
    text = sa.Text
    op.create_table(
        "event",
        sa.Column("experiment", text, nullable=False),
        sa.Column("n", sa.BigInteger, nullable=False),
        sa.Column("time", text, nullable=False),
        sa.Column("type", text, nullable=False),
        sa.Column("key", text),
        sa.Column("body", text, nullable=False),
        sa.Column("hash", text, nullable=False),
        sa.PrimaryKeyConstraint("experiment", "n", name="event_n"),
    )
    keyed = sa.text("key IS NOT NULL")
    op.create_index(
        "event_key",
        "event",
        ["experiment", "type", "key"],
        unique=True,
        sqlite_where=keyed,
        postgresql_where=keyed,
    )
    for statement in SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRESQL:
        op.execute(statement)
