"""Decisions in real use: what happened, kept as a chain of events that nothing changes.

events      what an event is, its bytes, and the chain of hashes
store       where events are kept: a file (SQLite) or a server (PostgreSQL)
"""
