"""Policies: one file for each family, and a registry that is the only list.

The file of a family holds the rule in words and formulas, `choose` and `update` as the contract
asks, the loop `run` made of them, and a `Rule` for the registry.
"""
