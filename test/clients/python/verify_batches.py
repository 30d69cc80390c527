"""Verifies every batch of a running Fairlead service: python3 verify_batches.py URL [KEY ...]

Downloads headers, entries and one proof a batch, and checks them with the Python standard library alone, as
docs/publisher.md describes. Trusts the keys given (G… or hex), or else those that the service lists. Prints one line
and ends with 0, 1 (something does not hold) or 2 (it could not be asked).
"""

import base64
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients" / "python" / "src"))

from fairlead import batches as log  # noqa: E402
from fairlead import canonical, ed25519, strkey  # noqa: E402

TRIES = 10
MAX_BYTES = 4 * 1024 * 1024


class Unreachable(Exception):
    pass


def get(url):
    """The JSON at this address; waits where the service asks for patience."""
    for _ in range(TRIES):
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                return canonical.load_json(answer.read(MAX_BYTES).decode("utf-8"))
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise Unreachable("%s answers %d" % (url, error.code))
            time.sleep(int(error.headers.get("Retry-After", "1")))
        except OSError as error:
            raise Unreachable("%s: %s" % (url, error))
    raise Unreachable("%s asks for patience again and again" % url)


def pages(url, **query):
    """Every item of a list, whatever its number of pages."""
    while True:
        page = get(url + "?" + urllib.parse.urlencode(query))
        for item in page["items"]:
            yield item
        if page["nextCursor"] is None:
            return
        query = {**query, "cursor": page["nextCursor"]}


def trusted_keys(base, given):
    if not given:
        return [{"keyId": key["keyId"], "publicKey": key["publicKey"]} for key in get(base + "/health")["keys"]]
    accounts = [strkey.parse_account(text) for text in given]
    return [{"keyId": log.key_id(strkey.decode_account(one)), "publicKey": one} for one in accounts]


def verify_receipt(receipt, header, digest):
    if receipt["sequence"] != header["sequence"] or receipt["headerHash"] != digest:
        raise canonical.Refused("the receipt is for another batch")
    signed = {name: value for name, value in receipt.items() if name != "signature"}
    message = b"fairlead.receipt.v1\n" + canonical.canonical_hash(signed).hex().encode("ascii")
    key = strkey.decode_account(receipt["oracle"])
    if not ed25519.verify(key, message, base64.b64decode(receipt["signature"], validate=True)):
        raise canonical.Refused("the receipt's signature does not verify")


def verify_proof(base, header, entry):
    place = urllib.parse.urlencode({"anchor": entry["anchorId"], "corridor": entry["corridor"]})
    answer = get("%s/batches/%d/proof?%s" % (base, header["sequence"], place))
    if answer["entry"] != entry or not log.entry_holds(entry, answer["index"], answer["proof"], header):
        raise canonical.Refused("the proof of %s does not hold" % place)


def verify(base, keys):
    batches = entries = receipts = 0
    previous = None
    for batch in pages(base + "/batches", order="asc", limit=100):
        header = batch["header"]
        if header["sequence"] != batches + 1:
            raise canonical.Refused("batch %d is missing" % (batches + 1))
        items = list(pages("%s/batches/%d/entries" % (base, header["sequence"]), limit=100))
        digest = log.verify_batch(header, batch["signature"], items, keys, previous)
        previous = (header["sequence"], digest)
        if batch["receipt"] is not None:
            verify_receipt(batch["receipt"], header, digest)
            receipts += 1
        if items:
            verify_proof(base, header, items[len(items) // 2])
        batches += 1
        entries += len(items)
    return batches, entries, receipts, None if previous is None else previous[1]


def main(url, *given):
    base = url.rstrip("/") + "/api/publisher"
    try:
        result = verify(base, trusted_keys(base, given))
    except Unreachable as error:
        print("NOT CHECKED: %s" % error)
        return 2
    except (canonical.Refused, KeyError, TypeError, ValueError, json.JSONDecodeError) as error:
        print("REFUTED: %s" % error)
        return 1
    print("VERIFIED: %d batches, %d entries, %d receipts, head %s" % result)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
