"""Stellar keys as text (SEP-23)."""

import base64
import re

from fairlead.canonical import Refused

_ACCOUNT = 6 << 3
_SEED = 18 << 3


def _crc16_xmodem(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def _encode(version, payload):
    if len(payload) != 32:
        raise Refused("a key has 32 bytes")
    versioned = bytes([version]) + payload
    return base64.b32encode(versioned + _crc16_xmodem(versioned).to_bytes(2, "little")).decode("ascii")


def _decode(version, text):
    if not isinstance(text, str) or not re.fullmatch("[A-Z2-7]{56}", text):
        raise Refused("not 56 characters of base32")
    payload = base64.b32decode(text)[1:33]
    # One key has one spelling: this compares version, checksum and alphabet at once.
    if _encode(version, payload) != text:
        raise Refused("wrong kind of key, or wrong checksum")
    return payload


def encode_account(key):
    """32 bytes to G…."""
    return _encode(_ACCOUNT, key)


def decode_account(text):
    """G… to 32 bytes."""
    return _decode(_ACCOUNT, text)


def decode_seed(text):
    """S… to 32 bytes."""
    return _decode(_SEED, text)


def parse_account(text):
    """G… or 64 hex digits to the one G… form."""
    if isinstance(text, str) and re.fullmatch("[0-9a-fA-F]{64}", text):
        return encode_account(bytes.fromhex(text))
    return encode_account(decode_account(text))
