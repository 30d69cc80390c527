"""Disputes: a signature over the intent hash, as Stellar wallets sign a message (SEP-53)."""

import base64
import re

from fairlead import ed25519, strkey
from fairlead.canonical import Refused, sha256


def sep53_hash(message):
    return sha256(b"Stellar Signed Message:\n" + message)


def sign_dispute(intent_hash, anchor_id, reason, secret_key):
    """The body of a dispute. `secret_key` is the S… of the intent's account, or of the anchor; the reason is not signed.

    A wallet that keeps its key to itself signs the intent hash as a message of SEP-53 instead.
    """
    # Signing wants a library that keeps the key from timing; verifying does without.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not re.fullmatch("[0-9a-f]{64}", intent_hash):
        raise ValueError("the intent hash must be 64 lower-case hex digits")
    key = Ed25519PrivateKey.from_private_bytes(strkey.decode_seed(secret_key))
    return {
        "intentHash": intent_hash,
        "publicKey": strkey.encode_account(key.public_key().public_bytes_raw()),
        "signature": base64.b64encode(key.sign(sep53_hash(intent_hash.encode("ascii")))).decode("ascii"),
        "anchorId": anchor_id,
        "reason": reason,
    }


def dispute_is_signed(body):
    """Whether the key named in a dispute has signed its intent hash: as SEP-53 does, or the plain text."""
    text = body["intentHash"].encode("utf-8")
    try:
        key = strkey.decode_account(strkey.parse_account(body["publicKey"]))
        signature = decode_base64(body["signature"])
    except (Refused, ValueError):
        return False
    return any(ed25519.verify(key, message, signature) for message in (sep53_hash(text), text))


def decode_base64(text):
    """Strict: one value has one spelling."""
    raw = base64.b64decode(text, validate=True)
    if base64.b64encode(raw).decode("ascii") != text:
        raise ValueError("not in the one spelling of base64")
    return raw
