"""Computes score cards again, independently of the service, with nothing but Python's standard library.

  recompute_scores.py vectors FILE   cards of test/vectors/score-cards.json, from the outcomes up, byte for byte
  recompute_scores.py answer FILE    cards of an answer of GET /v1/public/scores ("-" reads standard input), from
                                     the inputs that each card shows

Ends with 1 and says which card differs and how, or that it follows a formula other than v1 (docs/reputation.md).
"""

import json
import sys
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal, localcontext

Z = Decimal("1.959963984540054")
LAST_BOUND = 90 * 86_400
FORMULAS = {"v1"}
WITHHELD_TARGETS = 4  # As how many speed targets a withheld time counts with a ledger; none counts as more.


class UnknownFormula(Exception):
    pass


def settle_bounds():
    """Exact to 100 s, then steps of 2 % rounded down to whole seconds, up to 90 days."""
    bounds = [0]
    while bounds[-1] < LAST_BOUND:
        bounds.append(min(LAST_BOUND, max(bounds[-1] + 1, bounds[-1] * 102 // 100)))
    return bounds


def bucket(seconds, bounds):
    return next((bound for bound in bounds if bound >= int(seconds)), bounds[-1])


def counted_times(place, tally, bounds):
    """Pairs of a bucket's upper bound and a count. With a ledger every filled outcome has a time, and none is above the cap."""
    times = [(bucket(seconds, bounds), count) for seconds, count in tally["settleSeconds"].items()]
    if place["evidence"] == "anchor":
        return times
    slowest = bucket(WITHHELD_TARGETS * place["speedTargetSeconds"], bounds)
    withheld = [(slowest, tally["timesWithheld"])] if tally["timesWithheld"] else []
    return [(min(bound, slowest), count) for bound, count in times] + withheld


def percentile(times, percent):
    """The percentile by nearest rank: the upper bound of the bucket that contains it."""
    reported = sorted(times)
    total = sum(count for _, count in reported)
    rank = -(-total * percent // 100)
    seen = 0
    for bound, count in reported:
        seen += count
        if seen >= rank:
            return bound
    return None


def places(part, whole, count, up):
    units = (part * 10**count + (whole - 1 if up else 0)) // whole
    return f"{units // 10**count}.{units % 10**count:0{count}d}"


def formula_of(card):
    formula = card.get("formula")
    if formula not in FORMULAS:
        raise UnknownFormula(formula)
    return formula


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


def card_from_outcomes(place, tally, bounds):
    formula_of(place)
    filled = tally["filled"]
    outcomes = filled + tally["notFilled"]
    quoted = sum(tally["shortfallPpb"].values())
    shortfall = sum(int(ppb) * count for ppb, count in tally["shortfallPpb"].items())
    times = counted_times(place, tally, bounds)
    card = {
        **place,
        "outcomes": outcomes,
        "filled": filled,
        "accountDays": tally["accountDays"],
        "days90": tally["days90"],
        "fillRate": places(filled, outcomes, 6, up=False) if outcomes else None,
        "p50SettleSeconds": percentile(times, 50),
        "p95SettleSeconds": percentile(times, 95),
        "meanShortfall": places(shortfall, quoted * 10**9, 9, up=True) if quoted else None,
        "quotedOutcomes": quoted,
        "acceptedDisputes": tally["acceptedDisputes"],
        "ledgerOutcomes": outcomes if place["evidence"] == "ledger" else 0,
        "anchorOutcomes": tally["anchorOutcomes"],
        "timesWithheld": tally["timesWithheld"],
    }
    return judged(card)


def judged(card):
    value = score(card)
    return {**card, "score": value, "state": "insufficient_data" if value is None else "scored"}


def canonical(card):
    """RFC 8785: every value here is a string, an integer, a boolean or null, every key is ASCII."""
    return json.dumps(card, sort_keys=True, separators=(",", ":"))


def check_vectors(document):
    bounds = settle_bounds()
    for case in document["cards"]:
        yield case["name"], canonical(card_from_outcomes(case["place"], case["tally"], bounds)), case["bytes"]


def check_answer(document):
    for card in document["items"]:
        given = {key: value for key, value in card.items() if key not in ("score", "state")}
        if formula_of(card) != document["formula"]:
            raise UnknownFormula(f"{formula_of(card)} in an answer of {document['formula']}")
        again = judged(given)
        if card["outcomes"]:
            again["fillRate"] = places(card["filled"], card["outcomes"], 6, up=False)
        yield f"{card['anchorId']} {card['corridor']}", canonical(again), canonical(card)


def main(kind, name):
    with sys.stdin if name == "-" else open(name, encoding="utf-8") as file:
        document = json.load(file)
    try:
        compared = list((check_vectors if kind == "vectors" else check_answer)(document))
    except UnknownFormula as unknown:
        print(f"a card follows a formula that is not known here: {unknown}")
        return 1
    wrong = [(which, again, given) for which, again, given in compared if again != given]
    for which, again, given in wrong:
        print(f"{which}:\n  computed  {again}\n  given     {given}")
    print(f"{len(compared) - len(wrong)} of {len(compared)} cards agree")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("vectors", "answer"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
