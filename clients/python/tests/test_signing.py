import json
import unittest
from pathlib import Path

from fairlead.batches import verify_proof
from fairlead.canonical import Refused
from fairlead.disputes import dispute_is_signed, sign_dispute
from fairlead.webhooks import WebhookRefused, verify_webhook

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
            ):
                self.assertFalse(dispute_is_signed({**signed, name: other}), name)

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
            event = verify_webhook(body, headers, ["another", secret], now=now + 299, require_timestamp=True)
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
            self.refuses(case["body"].encode("utf-8"), headers, case["secret"])

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
                    {"batch": {**signed, "signature": "AAAA"}},
                    {"batch": {**signed, "header": {**batch["header"], "size": True}}},
                ):
                    with self.assertRaises(Refused):
                        verify_proof(json.dumps({**claim, **changed}).encode(), log["keys"])
        self.assertGreaterEqual(proven, 13)
        for text in (b"", b"[]", b"\xff", b'{"entry":1,"entry":2}'):
            with self.assertRaises(Refused):
                verify_proof(text, log["keys"])


if __name__ == "__main__":
    unittest.main()
