"""Which price to ask? A shop decides visit by visit, and hears of sales late, and twice.

A visitor who refuses a price would have refused higher ones too, and one who buys would have bought
for less: each price shows something about the others, with more noise the farther they are apart.
"""

import random

import sidelight as sl

sigma = {"8.99": {"8.99": 0.5, "9.99": 0.7}, "9.99": {"8.99": 0.7, "9.99": 0.5, "12.99": 0.7}}
sigma["12.99"] = {"9.99": 0.7, "12.99": 0.5}
feedback = sl.Feedback.from_graph(sigma, actions=["8.99", "9.99", "12.99"])
earns = {"8.99": 0.30, "9.99": 0.55, "12.99": 0.40}  # the truth, which the learner never sees

shop = sl.Learner(feedback, policy="ids", upper=1.0, seed=7, patience=200)
world, mail = random.Random(1), []
for visit in range(1500):
    decision = shop.ask(key=f"visit-{visit}")
    if world.random() < 0.1:
        assert shop.ask(key=f"visit-{visit}") == decision  # the page was loaded again
    noise = sigma[decision.label]
    values = {price: earns[price] + noise[price] * world.gauss(0, 1) for price in noise}
    if world.random() < 0.95:  # the other letters are lost
        mail.append((visit + world.randrange(100), decision.id, values))
    for letter in [letter for letter in mail if letter[0] <= visit]:
        _, number, values = letter
        shop.tell(number, values, key=f"sale-{number}")
        if world.random() < 0.9:
            mail.remove(letter)  # sometimes it is delivered twice, and counts once
    if visit == 700:
        shop = sl.Learner.from_json(shop.to_json())  # the shop moves to another machine

print(shop.verdict(delta=0.05))
print(shop.diagnose())
print(f"{len(shop.pending)} of {shop.rounds} decisions are still waited for")
