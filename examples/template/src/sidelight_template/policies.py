"""A policy in Python."""


class PatientGreedy:
    """Look at every action several times, then play the largest mean."""

    edition = 1
    needs = ("needs self-observation",)

    def __init__(self, looks: int = 3) -> None:
        if looks < 1:
            raise ValueError("looks must be at least 1")
        self.looks = looks

    def caution(self, setting) -> str:
        return "its regret may be linear: it looks at every action a few times only"

    def choose(self, belief, rng) -> int:
        if belief.rounds < self.looks * len(belief):
            return belief.rounds % len(belief)
        return int(belief.means.argmax())
