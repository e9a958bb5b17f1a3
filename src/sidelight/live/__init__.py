"""Decisions in real use: what happened, kept as a chain of events that nothing changes.

learner     a policy in live use: ask, tell, record; its verdict and its diagnosis
events      what an event is, its bytes, and the chain of hashes
store       where events are kept: a file (SQLite) or a server (PostgreSQL)
"""
