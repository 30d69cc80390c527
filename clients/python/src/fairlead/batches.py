"""Batches of scores, as the publisher has signed them, and proofs that an entry stands in one.

Keys are a list of {"keyId", "publicKey"}, got once from a source that one trusts: a key that comes with a batch proves
nothing.
"""

import re

from fairlead import ed25519
from fairlead.canonical import (
    Refused,
    canonical_hash,
    canonical_json,
    decode_base64,
    decode_hash,
    is_hash,
    load_json,
    sha256,
)
from fairlead.merkle import inclusion_holds, leaf_hash, merkle_root
from fairlead.strkey import decode_account, parse_account

FORMULAS = {"v1"}
_HASH = "[0-9a-f]{64}"
_INSTANT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
_HEADER_MEMBERS = {"version", "sequence", "previous", "root", "size", "formula", "createdAt", "keyId"}


def key_id(public_key):
    return sha256(public_key).hex()[:16]


def entry_leaf_hash(entry):
    return leaf_hash(canonical_json(entry).encode("utf-8"))


def formula_of(entry):
    if not isinstance(entry, dict):
        raise Refused("an entry is not an object")
    return entry.get("formula")


def header_hash(header):
    return canonical_hash(header).hex()


def signing_bytes(header):
    return b"fairlead.batch.v1\n" + header_hash(header).encode("ascii")


def _is_integer(value, least, most=2**53 - 1):
    """True and False are numbers to Python, and 1.0 is equal to 1."""
    return type(value) is int and least <= value <= most


def _check_form(header):
    if not isinstance(header, dict) or set(header) != _HEADER_MEMBERS or not _is_integer(header["version"], 1, 1):
        raise Refused("the header has other members, or another version")
    texts = {"root": _HASH, "formula": "v[1-9][0-9]{0,3}", "createdAt": _INSTANT, "keyId": "[0-9a-f]{16}"}
    for name, pattern in texts.items():
        if not isinstance(header[name], str) or not re.fullmatch(pattern, header[name]):
            raise Refused("the header's %s has another form" % name)
    if header["previous"] is not None and not is_hash(header["previous"]):
        raise Refused("the header's previous has another form")
    if not _is_integer(header["sequence"], 1) or not _is_integer(header["size"], 0):
        raise Refused("the header's sequence or size has another form")
    if header["formula"] not in FORMULAS:
        raise Refused("the header names a formula that is not known here: %s" % header["formula"])


def verify_header(header, signature, keys, previous):
    """Raises Refused, or gives the header's hash.

    previous: sequence and header hash of the batch before, as a pair; None for the first batch.
    """
    _check_form(header)
    last_sequence, last_hash = (0, None) if previous is None else previous
    is_first = header["sequence"] == 1
    if (header["previous"], header["sequence"]) != (last_hash, last_sequence + 1) or is_first != (previous is None):
        raise Refused("the header does not follow the batch before it")
    listed = [key["publicKey"] for key in keys if key["keyId"] == header["keyId"]]
    if not listed:
        raise Refused("unknown key id")
    public_key = decode_account(parse_account(listed[0]))
    if key_id(public_key) != header["keyId"]:
        raise Refused("the key id is another key's")
    if not ed25519.verify(public_key, signing_bytes(header), decode_base64(signature)):
        raise Refused("the signature does not verify")
    return header_hash(header)


def _named_by(header):
    """The batch before, as the header itself tells it: a proof of one batch says nothing of the others."""
    if header["previous"] is None:
        return None
    return header["sequence"] - 1, header["previous"]


def verify_batch(header, signature, entries, keys, previous):
    """Raises Refused, or gives the header's hash. `previous` as in verify_header."""
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
    siblings = [decode_hash(text) for text in proof]
    return inclusion_holds(entry_leaf_hash(entry), index, header["size"], siblings, decode_hash(header["root"]))


def verify_proof(answer, keys):
    """Raises Refused, or gives the entry, as a dict, that a batch holds which one of the keys has signed.

    `answer` is the content of the answer of prove_batch_entry exactly as it arrived. Compare anchor and corridor of the
    entry with those asked for.
    """
    try:
        claim = load_json(bytes(answer).decode("utf-8"))
        entry, batch, header = claim["entry"], claim["batch"], claim["batch"]["header"]
        index, size, proof = claim["index"], claim["size"], claim["proof"]
        verify_header(header, batch["signature"], keys, _named_by(header))
        if formula_of(entry) != header["formula"]:
            raise Refused("an entry follows another formula than the header names")
        if not _is_integer(index, 0) or not _is_integer(size, 0):
            raise Refused("the index or the size of the proof is no integer")
        if size != header["size"] or not entry_holds(entry, index, proof, header):
            raise Refused("the batch does not hold this entry")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Refused("the answer is not a proof") from error
    return entry
