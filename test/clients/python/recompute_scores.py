"""Computes the score of each card in an answer of GET /v1/public/scores again, from the inputs that the card shows.

  curl -s URL/v1/public/scores | python3 recompute_scores.py

Independent of the service, with Python's standard library. Ends with 1 and says which card differs and how, or that it
follows a formula other than v1 (docs/reputation.md).
"""

import json
import sys
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal, localcontext

Z = Decimal("1.959963984540054")


def score(card):
    """100 x W x max(0, 1 - 10 S) x 2^(-P/T), in 34 digits, half to even; rounded down to two places at the end."""
    outcomes, filled = card["outcomes"], card["filled"]
    if outcomes < 30 or card["accountDays"] < 15 or card["days90"] < 7:
        return None
    with localcontext(Context(prec=34, rounding=ROUND_HALF_EVEN)):
        spread = Z * Z + Decimal(4) * filled * (outcomes - filled) / outcomes
        wilson = (Decimal(2) * filled + Z * Z - Z * spread.sqrt()) / ((outcomes + Z * Z) * 2)
        payout = max(Decimal(0), 1 - Decimal(card["meanShortfall"] or "0") * 10)
        speed = Decimal(2) ** (Decimal(-(card["p50SettleSeconds"] or 0)) / card["speedTargetSeconds"])
        return str((100 * wilson * payout * speed).quantize(Decimal("0.01"), ROUND_DOWN))


def fill_rate(card):
    """In millionths, rounded down."""
    units = card["filled"] * 10**6 // card["outcomes"]
    return f"{units // 10**6}.{units % 10**6:06d}"


def differences(card):
    value = score(card)
    again = {"score": value, "state": "insufficient_data" if value is None else "scored"}
    if card["outcomes"]:
        again["fillRate"] = fill_rate(card)
    return {name: (found, card[name]) for name, found in again.items() if found != card[name]}


def main():
    answer = json.load(sys.stdin)
    wrong = 0
    for card in answer["items"]:
        if not card.get("formula") == answer["formula"] == "v1":
            print(f"a card follows a formula that is not known here: {card.get('formula')}")
            return 1
        for name, (found, given) in differences(card).items():
            print(f"{card['anchorId']} {card['corridor']}: {name} computed {found}, given {given}")
            wrong += 1
    print(f"{len(answer['items'])} cards, {wrong} differences")
    return 1 if wrong or not answer["items"] else 0


if __name__ == "__main__":
    sys.exit(main())
