import base64
import json
import unittest
from pathlib import Path

from fairlead import ed25519
from fairlead.canonical import Refused, canonical_json, load_json
from fairlead.intents import canonical_intent, intent_hash
from fairlead.merkle import inclusion_holds, leaf_hash, merkle_root

VECTORS = Path(__file__).resolve().parents[3] / "test" / "vectors"


def vectors(name):
    return json.loads((VECTORS / name).read_text("utf-8"))


def verified(case, message):
    key, signature = bytes.fromhex(case["publicKey"]), bytes.fromhex(case["signature"])
    return ed25519.verify(key, bytes.fromhex(message), signature)


INTENTS = json.loads((VECTORS.parents[1] / "contract" / "vectors" / "intent-hash.json").read_text("utf-8"))["cases"]


class SignatureTest(unittest.TestCase):
    def test_verifies_those_of_rfc_8032(self):
        cases = vectors("rfc8032.json")["cases"]
        for case in cases:
            self.assertTrue(verified(case, case["message"]), case["name"])
            self.assertFalse(verified(case, case["message"] + "00"), case["name"])
        self.assertGreaterEqual(len(cases), 5)

    def test_judges_as_wycheproof(self):
        cases = vectors("wycheproof-ed25519.json")["cases"]
        for case in cases:
            self.assertEqual(verified(case, case["message"]), case["valid"], case["id"])
        self.assertGreaterEqual(len(cases), 150)

    def test_judges_as_both_verifiers_of_speccheck(self):
        for case in vectors("speccheck.json")["cases"]:
            self.assertEqual(verified(case, case["message"]), case["both"], case["case"])

    def test_refuses_keys_of_small_order(self):
        zip215 = vectors("zip215-small-order.json")
        for case in zip215["cases"]:
            self.assertFalse(verified(case, zip215["message"]), case["publicKey"])


class MerkleTest(unittest.TestCase):
    def test_makes_the_roots_of_rfc_6962(self):
        rfc = vectors("rfc6962.json")
        leaves = [leaf_hash(bytes.fromhex(leaf)) for leaf in rfc["leaves"]]
        for size, root in enumerate(rfc["roots"]):
            self.assertEqual(merkle_root(leaves[:size]).hex(), root)

    def test_judges_inclusion_as_the_reference(self):
        for case in vectors("merkle-inclusion.json")["cases"]:
            leaf, root, *proof = (
                base64.b64decode(text or "") for text in (case["leafHash"], case["root"], *(case["proof"] or []))
            )
            holds = inclusion_holds(leaf, case["leafIdx"], case["treeSize"], proof, root)
            self.assertEqual(holds, not case["wantErr"], case["file"])


class CanonicalJsonTest(unittest.TestCase):
    def test_is_that_of_the_reference(self):
        compared = 0
        for case in vectors("jcs.json")["cases"]:
            try:
                text = canonical_json(load_json(case["input"]))
            except Refused as refused:
                # Nothing that is signed holds a number that is no integer.
                self.assertIn("neither text, integer", str(refused), case["name"])
                continue
            self.assertEqual(text.encode("utf-8").hex(), case["outputHex"], case["name"])
            compared += 1
        self.assertGreaterEqual(compared, 3)

    def test_ends_at_32_levels(self):
        deepest = "[" * 32 + "1" + "]" * 32
        self.assertEqual(canonical_json(load_json(deepest)), deepest)
        for text in ("[" * 33 + "]" * 33, '{"a":' * 33 + "1" + "}" * 33):
            with self.assertRaises(Refused):
                canonical_json(load_json(text))

    def test_refuses_what_is_no_integer_and_no_unicode(self):
        for text in ('{"a":1,"a":2}', "1.5", "1e2", "9007199254740992", '"\\ud800"', '{"\\ud800":1}', "NaN"):
            with self.assertRaises(Refused, msg=text):
                canonical_json(load_json(text))


class IntentTest(unittest.TestCase):
    def test_has_the_hash_of_the_vectors(self):
        for case in INTENTS:
            self.assertEqual(canonical_intent(case["intent"]), case["canonical"])
            self.assertEqual(intent_hash(case["intent"]), case["intentHash"])

    def test_leaves_out_what_is_none(self):
        terms = {name: INTENTS[0]["intent"][name] for name in ("corridor", "anchorId", "account", "sellAmount", "nonce")}
        without = {**terms, "minReceive": None, "deliveryMethod": None, "expiresAt": None}
        self.assertEqual(canonical_intent(without), canonical_intent(terms))

    def test_refuses_what_is_malformed(self):
        changes = [("sellAmount", amount) for amount in ("", "1e3", "-1", "01", "1.", ".5", "+1", " 1", "1" * 65, 1)]
        changes += [("expiresAt", at) for at in ("2026-11-31T00:00:00Z", "2026-11-21", "2026-11-21T24:00:00Z", 7)]
        changes += [("deliveryMethod", 1), ("nonce", "\ud800"), ("corridor", None), ("account", None), ("nonce", None)]
        for name, other in changes:
            with self.assertRaises(Refused, msg=(name, other)):
                intent_hash({**INTENTS[0]["intent"], name: other})
        for name in ("corridor", "anchorId", "account", "sellAmount", "nonce"):
            with self.assertRaises(Refused, msg=name):
                intent_hash({other: text for other, text in INTENTS[0]["intent"].items() if other != name})


if __name__ == "__main__":
    unittest.main()
