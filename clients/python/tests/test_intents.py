import json
import unittest
from pathlib import Path

from fairlead.canonical import Refused
from fairlead.intents import canonical_intent, intent_hash

CASES = json.loads(
    (Path(__file__).resolve().parents[3] / "contract" / "vectors" / "intent-hash.json").read_text("utf-8")
)["cases"]


class IntentTest(unittest.TestCase):
    def test_has_the_hash_of_the_vectors(self):
        for case in CASES:
            self.assertEqual(canonical_intent(case["intent"]), case["canonical"])
            self.assertEqual(intent_hash(case["intent"]), case["intentHash"])

    def test_leaves_out_what_is_none(self):
        terms = {name: CASES[0]["intent"][name] for name in ("corridor", "anchorId", "account", "sellAmount", "nonce")}
        without = {**terms, "minReceive": None, "deliveryMethod": None, "expiresAt": None}
        self.assertEqual(canonical_intent(without), canonical_intent(terms))

    def test_refuses_what_is_malformed(self):
        changes = [("sellAmount", amount) for amount in ("", "1e3", "-1", "01", "1.", ".5", "+1", " 1", "1" * 65, 1)]
        changes += [("expiresAt", at) for at in ("2026-11-31T00:00:00Z", "2026-11-21", "2026-11-21T24:00:00Z", 7)]
        changes += [("deliveryMethod", 1), ("nonce", "\ud800"), ("corridor", None), ("account", None), ("nonce", None)]
        for name, other in changes:
            with self.assertRaises(Refused, msg=(name, other)):
                intent_hash({**CASES[0]["intent"], name: other})
        for name in ("corridor", "anchorId", "account", "sellAmount", "nonce"):
            with self.assertRaises(Refused, msg=name):
                intent_hash({other: text for other, text in CASES[0]["intent"].items() if other != name})


if __name__ == "__main__":
    unittest.main()
