"""Disputes: a signature over the intent hash, as Stellar wallets sign a message (SEP-53)."""

import base64

from fairlead import ed25519, strkey
from fairlead.canonical import Refused, decode_base64, is_hash, sha256


def sep53_hash(message):
    return sha256(b"Stellar Signed Message:\n" + message)


def sign_dispute(intent_hash, anchor_id, reason, secret_key):
    """The body of a dispute. `secret_key` is the S… of the intent's account, or of the anchor; the reason is not signed.

    A wallet that keeps its key to itself signs the intent hash as a message of SEP-53 instead.
    """
    # Signing wants a library that keeps the key from timing; verifying does without.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not is_hash(intent_hash):
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
    if not is_hash(body.get("intentHash")):
        return False
    text = body["intentHash"].encode("ascii")
    try:
        key = strkey.decode_account(strkey.parse_account(body.get("publicKey")))
        signature = decode_base64(body.get("signature"))
    except Refused:
        return False
    return any(ed25519.verify(key, message, signature) for message in (sep53_hash(text), text))
