"""What each policy of a race needs, and where it warned that it may fail."""

from __future__ import annotations

from ..policies.needs import Need
from .results import Results

NEEDS = frozenset(str(need) for need in Need)


def clairvoyant(results: Results) -> frozenset[str]:
    """The policies that are told what others have to learn."""
    return frozenset(name for name in results.policies if Need.TRUTH in _said(results, name))


def needs(results: Results, name: str) -> list[str]:
    """What a policy cannot do without."""
    return [remark for remark in _said(results, name) if remark in NEEDS]


def cautions(results: Results) -> dict[str, list[str]]:
    """What a policy says about its danger here, without what it needs.

    Policies judge by what can be seen, not by the means: where no action is worse than another
    their regret is 0, whatever they say.
    """
    if not results.problem.gaps.any() and not results.posterior:
        return {}
    found = {
        name: [remark for remark in _said(results, name) if remark not in NEEDS]
        for name in results.policies
    }
    return {name: said for name, said in found.items() if said}


def _said(results: Results, name: str) -> list[str]:
    return list(results.provenance.get("remarks", {}).get(name, ()))
