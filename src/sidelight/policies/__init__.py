"""Policies: one file for each family, and a registry that is the only list.

The file of a family holds the rule in words and formulas, `choose` and `update` as the contract
asks, and a `Rule` for the registry.

    registry        the list of rules; a text such as "ucb-n:exploration=0.5" becomes a value
    specification   that value: a rule and its parameters
    rule, needs     what a rule declares; what a setting must have for it
    entry           a policy in a setting: whether it fits, and ready to begin
    parts/          what several policies share
"""
