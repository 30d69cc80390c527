"""Canonical JSON (RFC 8785, for strings and integers), its hash, and bytes as text: one value has one spelling."""

import base64
import hashlib
import json
import re

MAX_DEPTH = 32  # of arrays and objects in one another


class Refused(Exception):
    """The input is not what it claims to be; the text says why."""


def sha256(data):
    return hashlib.sha256(data).digest()


def load_json(text):
    """Like json.loads, but a member named twice is refused: readers disagree on which one counts."""

    def once(pairs):
        if len({name for name, _ in pairs}) != len(pairs):
            raise Refused("a JSON member is named twice")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once)


def canonical_json(value, depth=0):
    """RFC 8785 for null, booleans, strings, integers below 2**53, arrays and objects."""
    if isinstance(value, (list, dict)) and depth >= MAX_DEPTH:
        raise Refused("the JSON is nested too deeply")
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        if re.search("[\ud800-\udfff]", value):
            raise Refused("the JSON holds a lone surrogate")
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        if abs(value) >= 2**53:
            raise Refused("an integer is too large")
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical_json(item, depth + 1) for item in value) + "]"
    if isinstance(value, dict):
        # By UTF-16 code units, as RFC 8785 sorts, not by code points, as Python does.
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(canonical_json(name) + ":" + canonical_json(value[name], depth + 1) for name in names) + "}"
    raise Refused("a value is neither text, integer, array nor object")


def canonical_hash(value):
    return sha256(canonical_json(value).encode("utf-8"))


def decode_base64(text):
    try:
        raw = base64.b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise Refused("not base64") from error
    if base64.b64encode(raw).decode("ascii") != text:
        raise Refused("not in the one spelling of base64")
    return raw


def is_hash(text):
    """64 lower-case hex digits."""
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text) is not None


def decode_hash(text):
    if not is_hash(text):
        raise Refused("a hash is not 64 lower-case hex digits")
    return bytes.fromhex(text)
