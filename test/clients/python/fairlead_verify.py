"""Verifies what a Fairlead service publishes, with the Python standard library alone (3.8 or later).

Written from the documented bytes and not from the TypeScript package, so that each checks the other: Stellar keys
(SEP-23), canonical JSON (RFC 8785, for strings and integers), intent hashes, SEP-53, Ed25519 (RFC 8032), Merkle
trees (RFC 6962), signed batches and webhook signatures. Nothing here is fast, or fit for signing.
"""

import base64
import hashlib
import hmac
import json
import re
from datetime import datetime, timezone


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


# Canonical JSON


def canonical_json(value):
    """RFC 8785 for null, booleans, strings, integers below 2**53, arrays and objects."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        value.encode("utf-8")  # raises on a lone surrogate
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        if abs(value) >= 2**53:
            raise Refused("an integer is too large")
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical_json(item) for item in value) + "]"
    if isinstance(value, dict):
        # By UTF-16 code units, as RFC 8785 sorts, not by code points, as Python does.
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical_json(name) + ":" + canonical_json(value[name]) for name in names) + "}"
    raise Refused("a value is neither text, integer, array nor object")


def canonical_hash(value):
    return sha256(canonical_json(value).encode("utf-8"))


# Stellar keys


def _crc16_xmodem(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def encode_account(key):
    if len(key) != 32:
        raise Refused("a key has 32 bytes")
    payload = bytes([6 << 3]) + key
    return base64.b32encode(payload + _crc16_xmodem(payload).to_bytes(2, "little")).decode("ascii")


def decode_account(text):
    if not re.fullmatch("G[A-Z2-7]{55}", text):
        raise Refused("not a G… account of 56 characters")
    key = base64.b32decode(text)[1:33]
    if encode_account(key) != text:
        raise Refused("wrong checksum or algorithm")
    return key


def parse_account(text):
    """G… or 64 hex digits to the one G… form."""
    if re.fullmatch("[0-9a-fA-F]{64}", text):
        return encode_account(bytes.fromhex(text))
    return encode_account(decode_account(text))


# Intents


def _without_trailing_zeros(amount):
    if not re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", amount):
        raise Refused("not a decimal amount")
    return amount.rstrip("0").rstrip(".") if "." in amount else amount


def canonical_intent(intent):
    terms = {name: text for name, text in intent.items() if name in _TERMS}
    terms["type"] = "fairlead.intent.v1"
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
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + (fraction + "000")[:3] + "Z"


_TERMS = {"corridor", "anchorId", "account", "sellAmount", "minReceive", "deliveryMethod", "expiresAt", "nonce"}


def intent_hash(intent):
    return sha256(canonical_intent(intent).encode("utf-8")).hex()


def sep53_hash(message):
    return sha256(b"Stellar Signed Message:\n" + message)


# Ed25519, RFC 8032 section 5.1, in extended coordinates

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_SQRT_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_NEUTRAL = (0, 1, 1, 0)


def _add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % _P
    f = (a[1] + a[0]) * (b[1] + b[0]) % _P
    g = 2 * a[3] * b[3] * _D % _P
    h = 2 * a[2] * b[2] % _P
    x, y, t, z = f - e, f + e, h - g, h + g
    return (x * t % _P, y * z % _P, t * z % _P, x * y % _P)


def _multiply(scalar, point):
    result = _NEUTRAL
    while scalar > 0:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _equal(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % _P == 0 and (a[1] * b[2] - b[1] * a[2]) % _P == 0


def _decompress(encoded):
    y = int.from_bytes(encoded, "little")
    sign = y >> 255
    y &= 2**255 - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _SQRT_MINUS_ONE % _P
    if (x * x - square) % _P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


_BASE = _decompress((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def ed25519_verify(public_key, message, signature):
    """Strict: canonical points, S below the group order, no small-order key, the equation without cofactor."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key = _decompress(public_key)
    point = _decompress(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or point is None or scalar >= _L or _equal(_multiply(8, key), _NEUTRAL):
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _L
    return _equal(_multiply(scalar, _BASE), _add(point, _multiply(challenge, key)))


# Merkle trees


def leaf_hash(data):
    return sha256(b"\x00" + data)


def node_hash(left, right):
    return sha256(b"\x01" + left + right)


def merkle_root(leaves):
    """RFC 6962 section 2.1, as it is worded there."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return node_hash(merkle_root(leaves[:split]), merkle_root(leaves[split:]))


def inclusion_holds(leaf, index, size, proof, root):
    """RFC 9162 section 2.1.3.2."""
    if not 0 <= index < size:
        return False
    own, last, value = index, size - 1, leaf
    for sibling in proof:
        if last == 0 or len(sibling) != 32:
            return False
        if own % 2 == 1 or own == last:
            value = node_hash(sibling, value)
            while own % 2 == 0 and own != 0:
                own, last = own >> 1, last >> 1
        else:
            value = node_hash(value, sibling)
        own, last = own >> 1, last >> 1
    return last == 0 and value == root


# Batches

FORMULAS = {"v1", "v2"}
_HEADER_MEMBERS = {"version", "sequence", "previous", "root", "size", "formula", "createdAt", "keyId"}


def key_id(public_key):
    return sha256(public_key).hex()[:16]


def entry_leaf_hash(entry):
    if not isinstance(entry, dict):
        raise Refused("an entry is not an object")
    return leaf_hash(canonical_json(entry).encode("utf-8"))


def formula_of(entry):
    """Entries of v1 name no formula: they were published before there was another."""
    return entry.get("formula", "v1")


def header_hash(header):
    return canonical_hash(header).hex()


def signing_bytes(header):
    return b"fairlead.batch.v1\n" + header_hash(header).encode("ascii")


def verify_header(header, signature, keys, previous):
    """Raises Refused, or gives the header's hash. `previous` is that of the batch before, None for the first."""
    if set(header) != _HEADER_MEMBERS or header["version"] != 1:
        raise Refused("the header has other members, or another version")
    if header["formula"] not in FORMULAS:
        raise Refused("the header names a formula that is not known here: %s" % header["formula"])
    if header["previous"] != previous or (header["sequence"] == 1) != (previous is None):
        raise Refused("the header does not follow the batch before it")
    listed = [key["publicKey"] for key in keys if key["keyId"] == header["keyId"]]
    if not listed:
        raise Refused("unknown key id")
    public_key = decode_account(parse_account(listed[0]))
    if key_id(public_key) != header["keyId"]:
        raise Refused("the key id is another key's")
    raw = base64.b64decode(signature, validate=True)
    if not ed25519_verify(public_key, signing_bytes(header), raw):
        raise Refused("the signature does not verify")
    return header_hash(header)


def verify_batch(header, signature, entries, keys, previous):
    """Raises Refused, or gives the header's hash."""
    digest = verify_header(header, signature, keys, previous)
    if len(entries) != header["size"]:
        raise Refused("there are more or fewer entries than the header says")
    if any(formula_of(entry) != header["formula"] for entry in entries):
        raise Refused("an entry follows another formula than the header names")
    if merkle_root([entry_leaf_hash(entry) for entry in entries]).hex() != header["root"]:
        raise Refused("the entries do not have the root that was signed")
    return digest


def entry_holds(entry, index, proof, header):
    """Whether the entry stands at this place of the batch; the header is to be verified first."""
    siblings = [bytes.fromhex(text) for text in proof]
    return inclusion_holds(entry_leaf_hash(entry), index, header["size"], siblings, bytes.fromhex(header["root"]))


# Webhooks


def webhook_signature(secret, body):
    return hmac.new(secret.encode("utf-8"), body, hashlib.sha256).hexdigest()


def webhook_is_authentic(secret, body, signature):
    return hmac.compare_digest(webhook_signature(secret, body).encode(), signature.encode())


def standard_secret(secret):
    if re.fullmatch("whsec_[A-Za-z0-9+/]+={0,2}", secret) and len(secret) % 4 == 2:
        return secret
    return "whsec_" + base64.b64encode(secret.encode("utf-8")).decode("ascii")


def standard_signature(secret, message_id, timestamp, body):
    key = base64.b64decode(standard_secret(secret)[len("whsec_") :])
    signed = (message_id + "." + timestamp + ".").encode("utf-8") + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode("ascii")
