import base64
import json
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairlead import strkey
from fairlead.batches import entry_holds, verify_batch, verify_header, verify_proof
from fairlead.canonical import Refused
from fairlead.disputes import dispute_is_signed, sign_dispute
from fairlead.webhooks import WebhookRefused, standard_secret, verify_webhook, webhook_signature

VECTORS = Path(__file__).resolve().parents[3] / "contract" / "vectors"


def vectors(name):
    return json.loads((VECTORS / name).read_text("utf-8"))


class SignDisputeTest(unittest.TestCase):
    def test_makes_the_bodies_of_the_vectors(self):
        for case in vectors("dispute.json")["cases"]:
            body = case["body"]
            signed = sign_dispute(body["intentHash"], body["anchorId"], body["reason"], case["secretKey"])
            self.assertEqual(signed, body)
            self.assertTrue(dispute_is_signed(signed))
            for name, other in (
                ("intentHash", "0" + body["intentHash"][1:]),
                ("signature", "A" + body["signature"][1:]),
                ("signature", body["signature"][:85] + "R=="),
                ("publicKey", "G"),
                ("publicKey", None),
                ("signature", None),
                ("intentHash", None),
            ):
                self.assertFalse(dispute_is_signed({**signed, name: other}), name)

    def test_takes_only_a_hash_for_what_was_signed(self):
        case = vectors("dispute.json")["cases"][0]
        key = Ed25519PrivateKey.from_private_bytes(strkey.decode_seed(case["secretKey"]))
        for text in ("log in to another service", case["body"]["intentHash"].upper()):
            signature = base64.b64encode(key.sign(text.encode())).decode()
            self.assertFalse(dispute_is_signed({**case["body"], "intentHash": text, "signature": signature}), text)

    def test_refuses_what_is_no_key(self):
        body = vectors("dispute.json")["cases"][0]["body"]
        with self.assertRaises(Refused):
            sign_dispute(body["intentHash"], "a", "r", body["publicKey"])
        with self.assertRaises(ValueError):
            sign_dispute("zz", "a", "r", body["publicKey"])


class VerifyWebhookTest(unittest.TestCase):
    def refuses(self, body, headers, secret, **options):
        with self.assertRaises(WebhookRefused):
            verify_webhook(body, headers, secret, **options)

    def test_verifies_the_vectors(self):
        for case in vectors("webhook.json")["cases"]:
            body, headers, secret = case["body"].encode("utf-8"), case["headers"], case["secret"]
            now = int(headers["webhook-timestamp"])
            event = verify_webhook(body, headers, ["another", secret], now=now + 299)
            self.assertEqual(event["id"], headers["webhook-id"])
            self.refuses(body, headers, secret, now=now + 301)
            self.refuses(body, headers, secret, now=now - 301)
            self.refuses(body, headers, "another", now=now)
            self.refuses(body.replace(b"T09", b"T08"), headers, secret, now=now)
            for name in headers:
                without = {other: text for other, text in headers.items() if other != name}
                self.refuses(body, without, secret, now=now)
                self.refuses(body, {**headers, name: "0" + headers[name]}, secret, now=now)

    def test_refuses_what_the_vectors_refuse(self):
        for case in vectors("webhook.json")["refused"]:
            headers = {"x-fairlead-signature": case["signature"]}
            self.refuses(case["body"].encode("utf-8"), headers, case["secret"], require_timestamp=False)

    def test_wants_a_timestamp_unless_told_otherwise(self):
        body = b'{"id":"1","event":"intent.settled","createdAt":"2026-11-21T09:29:59.250Z","data":{}}'
        headers = {"X-Fairlead-Signature": webhook_signature("a secret", body)}
        self.refuses(body, headers, "a secret")
        self.assertEqual(verify_webhook(body, headers, "a secret", require_timestamp=False)["id"], "1")
        self.refuses(body, {**headers, "webhook-id": ""}, "a secret", require_timestamp=False)

    def test_refuses_headers_that_are_no_text_or_sent_twice(self):
        case = vectors("webhook.json")["cases"][0]
        body, now = case["body"].encode("utf-8"), int(case["headers"]["webhook-timestamp"])
        for name, text in case["headers"].items():
            for other in ("\ud800", "é", None, [text]):
                self.refuses(body, {**case["headers"], name: other}, case["secret"], now=now)
            self.refuses(body, {**case["headers"], name.swapcase(): text}, case["secret"], now=now)

    def test_has_one_spelling_of_a_standard_secret(self):
        for case in vectors("webhook.json")["cases"]:
            self.assertEqual(standard_secret(case["secret"]), case["standardSecret"])
        # The last digit holds bits that no byte has: this is a text as any other.
        self.assertEqual(standard_secret("whsec_QR=="), "whsec_d2hzZWNfUVI9PQ==")

    def test_wants_a_secret(self):
        for secret in ("", [], [""]):
            with self.assertRaises(ValueError):
                verify_webhook(b"{}", {}, secret)


class VerifyProofTest(unittest.TestCase):
    def test_proves_the_entries_of_the_vectors_and_no_others(self):
        log = vectors("batch.json")
        proven = 0
        for batch in log["batches"]:
            for index, proof in enumerate(batch["proofs"]):
                signed = {"header": batch["header"], "signature": batch["signature"]}
                entry, size = batch["entries"][index], len(batch["entries"])
                claim = {"entry": entry, "index": index, "size": size, "proof": proof, "batch": signed}
                self.assertEqual(verify_proof(json.dumps(claim).encode(), log["keys"]), entry)
                proven += 1
                for changed in (
                    {"entry": {**entry, "outcomes": 1}},
                    {"entry": None},
                    {"index": index + 1},
                    {"index": "0"},
                    {"size": size + 1},
                    {"proof": [batch["leafHashes"][index], *proof]},
                    {"proof": ["zz"]},
                    {"proof": [text.upper() + " " for text in proof] + ["Z"]},
                    {"batch": {**signed, "signature": None}},
                    {"batch": {**signed, "header": {**batch["header"], "version": True}}},
                    {"batch": {**signed, "signature": "AAAA"}},
                    {"batch": {**signed, "header": {**batch["header"], "size": True}}},
                ):
                    with self.assertRaises(Refused):
                        verify_proof(json.dumps({**claim, **changed}).encode(), log["keys"])
        self.assertGreaterEqual(proven, 13)
        for text in (b"", b"[]", b"\xff", b'{"entry":1,"entry":2}'):
            with self.assertRaises(Refused):
                verify_proof(text, log["keys"])

    def test_takes_proofs_only_as_they_were_written(self):
        path = VECTORS.parents[1] / "test" / "vectors" / "proof-texts.json"
        known = json.loads(path.read_text("utf-8"))
        verify_proof(known["text"].encode(), known["keys"])
        for case in known["refused"]:
            with self.assertRaises(Refused, msg=case["name"]):
                verify_proof(known["text"].replace(case["from"], case["to"], 1).encode(), known["keys"])

    def test_refuses_other_spellings_and_other_types(self):
        log = vectors("batch.json")
        batch = next(one for one in log["batches"] if len(one["entries"]) > 1 and one["header"]["previous"])
        header, signature, entries = batch["header"], batch["signature"], batch["entries"]
        previous = (header["sequence"] - 1, header["previous"])
        with self.assertRaises(Refused):
            verify_header(header, signature, log["keys"], (header["sequence"] - 2, header["previous"]))
        verify_batch(header, signature, entries, log["keys"], previous)
        spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        other = signature[:85] + spare[spare.index(signature[85]) + 1] + "=="
        for changed in (other, signature + "\n", " " + signature, "é", None):
            with self.assertRaises(Refused, msg=changed):
                verify_header(header, changed, log["keys"], previous)
        for entry in (None, [], {"a": "\ud800"}, {"\ud800": 1}, {"a": 1.5}):
            with self.assertRaises(Refused, msg=entry):
                verify_batch(header, signature, [entry, *entries[1:]], log["keys"], previous)
        proof = batch["proofs"][0]
        self.assertTrue(entry_holds(entries[0], 0, proof, header))
        for text in (proof[0].upper(), " " + proof[0], proof[0] + "00", None):
            with self.assertRaises(Refused, msg=text):
                entry_holds(entries[0], 0, [text, *proof[1:]], header)


if __name__ == "__main__":
    unittest.main()
