"""Bytes as text, strictly: one value has one spelling."""

import base64
import re

from fairlead.canonical import Refused


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
