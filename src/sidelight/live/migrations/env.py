"""Where Alembic asks which connection to use: the one that `live/schema.py` hands over."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    transactional_ddl=True,  # SQLite can, too: the connection says BEGIN by itself
)
with context.begin_transaction():
    context.run_migrations()
