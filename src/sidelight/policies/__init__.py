"""Policies: one file for each family, and a registry that is the only list."""
