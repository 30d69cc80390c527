"""The identity of an intent, which follows from its terms alone."""

import re
import secrets
from datetime import datetime, timezone

from fairlead.canonical import Refused, canonical_json, sha256
from fairlead.strkey import parse_account


_REQUIRED = {"corridor", "anchorId", "account", "sellAmount", "nonce"}
_TERMS = _REQUIRED | {"minReceive", "deliveryMethod", "expiresAt"}


def new_nonce():
    """192 random bits. Keep it like a password: whoever knows it may attach a transaction to the intent."""
    return secrets.token_urlsafe(24)


def _without_trailing_zeros(amount):
    if len(amount) > 64 or not re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", amount):
        raise Refused("not a decimal amount")
    return amount.rstrip("0").rstrip(".") if "." in amount else amount


def canonical_intent(intent):
    """The text that is hashed, from the body of a registration as a dict; raises Refused. What is None is left out."""
    terms = {name: text for name, text in intent.items() if name in _TERMS and text is not None}
    if not _REQUIRED <= set(terms) or not all(isinstance(text, str) for text in terms.values()):
        raise Refused("a term is missing, or is no text")
    terms["type"] = "fairlead.intent.v1"
    for name in ("corridor", "anchorId"):
        terms[name] = terms[name].lower()
    terms["account"] = parse_account(terms["account"])
    for name in ("sellAmount", "minReceive"):
        if name in terms:
            terms[name] = _without_trailing_zeros(terms[name])
    if "expiresAt" in terms:
        terms["expiresAt"] = _in_utc(terms["expiresAt"])
    return canonical_json(terms)


def _in_utc(instant):
    """UTC with milliseconds and Z; what is finer is cut off."""
    pattern = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)"
    match = re.fullmatch(pattern, instant, re.ASCII)
    if match is None:
        raise Refused("not an instant")
    seconds, fraction, zone = match.group(1), match.group(2) or "", match.group(3)
    try:
        utc = datetime.fromisoformat(seconds + zone.replace("Z", "+00:00")).astimezone(timezone.utc)
    except (ValueError, OverflowError) as error:
        raise Refused("not an instant that exists") from error
    return utc.isoformat(timespec="seconds")[:19] + "." + (fraction + "000")[:3] + "Z"


def intent_hash(intent):
    """What the service must answer as `intentHash` for these terms; raises Refused."""
    return sha256(canonical_intent(intent).encode("utf-8")).hex()
