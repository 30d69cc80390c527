"""Canonical JSON (RFC 8785, for strings and integers), and its hash."""

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
