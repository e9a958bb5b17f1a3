"""An experiment behind a service, with the verbs of `Learner`.

    shop = sidelight.connect("http://127.0.0.1:7733", token="sidelight_decide_...")
    decision = shop.ask(key="visit-881")
    shop.tell(decision.id, {"9.99": 1.0}, key="sale-17")

Whatever is said has a key, a random one where the caller gives none. So a call whose answer was
lost is repeated until it has one, and counts once.
"""

from .calls import Calls
from .experiment import Remote, connect

__all__ = ["Calls", "Remote", "connect"]
