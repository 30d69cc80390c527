"""Computes what quotes are worth and cost again, independently of the service, with nothing but Python's standard library.

  recompute_quotes.py best FILE     the cases of test/vectors/best-quote.json: typical record, worth and order
  recompute_quotes.py cost FILE     the cases of test/vectors/quote-cost.json: what a quote costs
  recompute_quotes.py band FILE     the cases of test/vectors/quote-band.json: which quotes are ranked
  recompute_quotes.py answer FILE SECONDS PLACES
                                    the quotes of an answer of GET /api/rates/{corridor} ("-" reads standard input),
                                    given the corridor's speed target and the decimal places of its currency

Ends with 1 and says which figure differs and how. The formulas are described in docs/rates.md. All is computed in
fractions, so nothing is rounded before the end.
"""

import json
import sys
from fractions import Fraction

FAILURE_COST = Fraction(1, 5)
WAITING_COST = Fraction(1, 25)
FULL_RECORD = 30
ASSUMED_FILL_RATE = "0.95"


def middle(figures, high_first):
    """The median; for an even number of figures, the worse of the two middle ones."""
    ordered = sorted((each for each in figures if each is not None), key=Fraction, reverse=high_first)
    return ordered[len(ordered) // 2] if ordered else None


def typical_record(records, speed_target):
    scored = [each for each in records if each["state"] == "scored"]
    fill_rate = middle([each["fillRate"] for each in scored], True)
    seconds = middle([each["p50SettleSeconds"] for each in scored], False)
    return {
        "anchors": len(scored),
        "fillRate": ASSUMED_FILL_RATE if fill_rate is None else fill_rate,
        "p50SettleSeconds": speed_target if seconds is None else seconds,
        "meanShortfall": middle([each["meanShortfall"] for each in scored], False) or "0",
    }


def expected(record, typical, name):
    own = min(Fraction(record["outcomes"], FULL_RECORD), 1)
    figure = typical[name] if record[name] is None else record[name]
    return own * Fraction(figure) + (1 - own) * Fraction(typical[name])


def down(value, places):
    units = value * 10**places // 1
    whole, part = divmod(units, 10**places)
    return f"{whole}.{part:0{places}d}" if places else str(whole)


def worth(quote, record, typical, speed_target, places):
    shortfall = expected(record, typical, "meanShortfall")
    receive = down(Fraction(quote["receiveAmount"]) * max(0, 1 - shortfall), places)
    failing = 1 - expected(record, typical, "fillRate")
    seconds = expected(record, typical, "p50SettleSeconds")
    waiting = seconds / (seconds + speed_target)
    value = Fraction(receive) * (1 - FAILURE_COST * failing) * (1 - WAITING_COST * waiting)
    return {"expectedReceive": receive, "worth": down(value, places)}


def nearest(value, places):
    """Rounds to the nearest, halves away from zero; zero has no sign."""
    units = int(abs(value) * 10**places + Fraction(1, 2))
    whole, part = divmod(units, 10**places)
    return f"{'-' if value < 0 and units else ''}{whole}.{part:0{places}d}"


def plain(text):
    return text.rstrip("0").rstrip(".")


def cost(sell, receive, rate):
    """The amount sold minus what the payout would buy back at the reference rate."""
    at_market = Fraction(receive) / Fraction(rate)
    share = 1 - at_market / Fraction(sell)
    return {"percent": nearest(100 * share, 2), "amount": plain(nearest(Fraction(sell) - at_market, 7))}


def significant(value, up):
    """Rounds to ten significant digits, without trailing zeros."""
    exponent = 0
    while value >= Fraction(10) ** (exponent + 1):
        exponent += 1
    while value < Fraction(10) ** exponent:
        exponent -= 1
    places = 9 - exponent
    units = value * Fraction(10) ** places
    whole = -(-units // 1) if up else units // 1
    if places <= 0:
        return str(whole * 10**-places)
    text = f"{whole:0{places + 1}d}"
    return f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")


def band_of(prices, reference, factor):
    """The band around the median of three or more prices; with fewer, around the reference rate, if there is one."""
    by_median = len(prices) >= 3
    if not by_median and reference is None:
        return None
    compared = list(prices) if by_median else [reference]
    if by_median and len(prices) % 2 == 0 and reference is not None:
        compared.append(reference)
    ordered = sorted(map(Fraction, compared))
    return {
        "basis": "median" if by_median else "reference",
        "anchors": len(prices) if by_median else 0,
        "factor": factor,
        "low": significant(ordered[(len(ordered) - 1) // 2] / Fraction(factor), False),
        "high": significant(ordered[len(ordered) // 2] * Fraction(factor), True),
    }


def unranked(rate, band):
    if band is None:
        return None
    if Fraction(rate) > Fraction(band["high"]):
        return "above_band"
    return "below_band" if Fraction(rate) < Fraction(band["low"]) else None


def best_first(quotes):
    def key(quote):
        sold = Fraction(quote["sellAmount"])
        return (
            quote.get("unranked") is not None,
            quote["tier"] != "anchor",
            quote["adjusted"],
            -Fraction(quote["worth"]) / sold,
            -Fraction(quote["expectedReceive"]) / sold,
            quote["anchorId"],
        )

    return [quote["anchorId"] for quote in sorted(quotes, key=key)]


def differences(name, found, given):
    return [] if found == given else [f"{name}: computed {found}, given {given}"]


def check_case(case):
    speed_target, places = case["speedTargetSeconds"], case["payoutDecimals"]
    typical = typical_record(list(case["records"].values()), speed_target)
    wrong = differences(f"{case['name']}: typical", typical, case["typical"])
    computed = []
    for quote in case["quotes"]:
        record = case["records"][quote["anchorId"]]
        figures = worth(quote, record, typical, speed_target, places)
        given = {name: quote[name] for name in figures}
        wrong += differences(f"{case['name']}: {quote['anchorId']}", figures, given)
        computed.append({**quote, **figures})
    return wrong + differences(f"{case['name']}: order", best_first(computed), case["best"])


def check_cost(case):
    figures = cost(case["sellAmount"], case["receiveAmount"], case["rate"])
    return differences(case["name"], figures, {name: case[name] for name in figures})


def check_band(case):
    band = band_of(case["prices"], case["reference"], case["factor"])
    wrong = differences(case["name"], band, case["band"])
    for quote in case["quotes"]:
        wrong += differences(f"{case['name']}: {quote['rate']}", unranked(quote["rate"], band), quote["unranked"])
    return wrong


def check_answer(answer, speed_target, places):
    wrong = []
    for quote in answer["quotes"]:
        figures = worth(quote, quote["reputation"], answer["typical"], speed_target, places)
        if quote["cost"] is not None:
            rate = quote["cost"]["reference"]["rate"]
            figures["cost"] = {
                **cost(quote["sellAmount"], quote["receiveAmount"], rate),
                "reference": quote["cost"]["reference"],
            }
        figures["unranked"] = unranked(quote["rate"], answer["band"])
        given = {name: quote[name] for name in figures}
        wrong += differences(quote["anchorId"], figures, given)
    order = best_first([quote for quote in answer["quotes"] if quote["unranked"] is None])
    return wrong + differences("best", order[0] if order else None, (answer["best"] or {}).get("anchorId"))


def main():
    mode, path = sys.argv[1], sys.argv[2]
    with sys.stdin if path == "-" else open(path, encoding="utf-8") as file:
        content = json.load(file)
    if mode == "best":
        wrong = [line for case in content["cases"] for line in check_case(case)]
    elif mode == "cost":
        wrong = [line for case in content["cases"] for line in check_cost(case)]
    elif mode == "band":
        wrong = [line for case in content["cases"] for line in check_band(case)]
    else:
        wrong = check_answer(content, int(sys.argv[3]), int(sys.argv[4]))
    for line in wrong:
        print(f"disagrees: {line}")
    print(f"{len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
