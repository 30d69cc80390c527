"""Recomputes every vector of contract/vectors: python3 verify_vectors.py FOLDER

Prints one line a file and ends with 0, or names the first vector that disagrees and ends with 1.
"""

import base64
import copy
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients" / "python" / "src"))

from fairlead import batches, canonical, disputes, ed25519, intents, strkey, webhooks  # noqa: E402


class Disagreement(Exception):
    pass


def expect(what, given, expected):
    if given != expected:
        raise Disagreement("%s: computed %r, the vector says %r" % (what, given, expected))


def expect_refused(what, action):
    try:
        action()
    except (canonical.Refused, ValueError):
        return
    raise Disagreement("%s: accepted, though it must be refused" % what)


def check_strkey(vectors):
    for case in vectors["accepted"]:
        expect(case["hex"], strkey.encode_account(bytes.fromhex(case["hex"])), case["account"])
        expect(case["account"], strkey.decode_account(case["account"]).hex(), case["hex"])
    for case in vectors["refused"]:
        expect_refused(case["why"], lambda: strkey.decode_account(case["text"]))
    return len(vectors["accepted"]) + len(vectors["refused"])


def check_intent_hash(vectors):
    for case in vectors["cases"]:
        expect(case["name"], intents.canonical_intent(case["intent"]), case["canonical"])
        expect(case["name"], intents.intent_hash(case["intent"]), case["intentHash"])
    return len(vectors["cases"])


def check_dispute(vectors):
    for case in vectors["cases"]:
        body = case["body"]
        digest = disputes.sep53_hash(body["intentHash"].encode("ascii"))
        expect("SEP-53 hash", digest.hex(), case["sep53Hash"])
        key = strkey.decode_account(body["publicKey"])
        signature = base64.b64decode(body["signature"], validate=True)
        expect("signature", ed25519.verify(key, digest, signature), True)
        expect("signature of another message", ed25519.verify(key, digest[::-1], signature), False)
    return len(vectors["cases"])


def check_webhook(vectors):
    for case in vectors["cases"]:
        body, headers = case["body"].encode("utf-8"), case["headers"]
        expect("signature", webhooks.webhook_signature(case["secret"], body), headers["X-Fairlead-Signature"])
        expect("standard secret", webhooks.standard_secret(case["secret"]), case["standardSecret"])
        standard = webhooks.standard_signature(
            case["secret"], headers["webhook-id"], headers["webhook-timestamp"], body
        )
        expect("standard signature", standard, headers["webhook-signature"])
    for case in vectors["refused"]:
        body = case["body"].encode("utf-8")
        expect(case["why"], webhooks.webhook_is_authentic(case["secret"], body, case["signature"]), False)
    return len(vectors["cases"]) + len(vectors["refused"])


def check_batch(vectors):
    previous = None
    for batch in vectors["batches"]:
        header, signature, entries = batch["header"], batch["signature"], batch["entries"]
        expect("canonical header", canonical.canonical_json(header), batch["canonicalHeader"])
        expect("signing bytes", batches.signing_bytes(header).hex(), batch["signingBytesHex"])
        expect("leaves", [batches.entry_leaf_hash(entry).hex() for entry in entries], batch["leafHashes"])
        digest = batches.verify_batch(header, signature, entries, vectors["keys"], previous)
        expect("header hash", digest, batch["headerHash"])
        for index, proof in enumerate(batch["proofs"]):
            expect("proof %d" % index, batches.entry_holds(entries[index], index, proof, header), True)
            other = (index + 1) % len(entries)
            misplaced = batches.entry_holds(entries[other], index, proof, header)
            expect("proof %d with another entry" % index, misplaced, len(entries) == 1)
        check_refusals(batch, vectors["keys"], previous)
        previous = (header["sequence"], digest)
    return len(vectors["batches"])


def check_refusals(batch, keys, previous):
    """Each member of the header changed in turn, and an entry dropped or changed."""
    header, signature, entries = batch["header"], batch["signature"], batch["entries"]
    for member in header:
        changed = dict(header, **{member: "0" * 64})
        expect_refused(member, lambda: batches.verify_batch(changed, signature, entries, keys, previous))
    if entries:
        fewer = entries[1:]
        expect_refused("dropped entry", lambda: batches.verify_batch(header, signature, fewer, keys, previous))
        edited = copy.deepcopy(entries)
        edited[0]["outcomes"] += 1
        expect_refused("edited entry", lambda: batches.verify_batch(header, signature, edited, keys, previous))


CHECKS = {
    "strkey.json": check_strkey,
    "intent-hash.json": check_intent_hash,
    "dispute.json": check_dispute,
    "webhook.json": check_webhook,
    "batch.json": check_batch,
}


def main(folder):
    unknown = sorted(set(name for name in os.listdir(folder) if name.endswith(".json")) ^ set(CHECKS))
    if unknown:
        print("no vectors, or no check, for: " + ", ".join(unknown))
        return 1
    for name, check in CHECKS.items():
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            vectors = canonical.load_json(file.read())
        try:
            count = check(vectors)
        except (Disagreement, canonical.Refused) as error:
            print("%s disagrees: %s" % (name, error))
            return 1
        if count == 0:
            print("%s is empty" % name)
            return 1
        print("%s: %d agree" % (name, count))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
