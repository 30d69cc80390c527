"""A whole off-ramp against `npm start`. Never pay a second time where it stopped after "paid": look first."""

import os
import sys
import time
import tomllib
from urllib.parse import urlsplit

import httpx
from stellar_sdk import Asset, HashMemo, IdMemo, Keypair, SorobanServer, TextMemo, TransactionBuilder
from stellar_sdk.sep.stellar_web_authentication import read_challenge_transaction

from fairlead.client import connect
from fairlead.disputes import sign_dispute
from fairlead.intents import intent_hash, new_nonce
from fairlead.rest.api.anchors import get_anchor
from fairlead.rest.api.disputes import file_dispute
from fairlead.rest.api.intents import attach_transaction, create_intent, get_intent
from fairlead.rest.models import AttachTransactionBody, CreateIntentBody, FileDisputeBody

CORRIDOR, ANCHOR, CODE, AMOUNT = "usdc-ngn", "harbour", "USDC", "100"
RPC_URL = os.environ.get("RPC_URL", "http://127.0.0.1:7298/rpc")
PASSPHRASE = os.environ.get("NETWORK_PASSPHRASE", "Fairlead simulated ledger")
service = connect(os.environ.get("FAIRLEAD_URL", "http://127.0.0.1:8080"))
keys = Keypair.random()
http = httpx.Client(event_hooks={"response": [httpx.Response.raise_for_status]})

# Register. The hash follows from the terms alone, so it can be checked.
terms = CreateIntentBody(CORRIDOR, ANCHOR, keys.public_key, AMOUNT, new_nonce())
intent = create_intent.sync(client=service, body=terms)
if intent.intent_hash != intent_hash(terms.to_dict()):
    sys.exit("the service registered other terms")
print("registered", intent.intent_hash, flush=True)

# SEP-1: where the anchor is, and whether its key is the one that the service knows.
anchor = get_anchor.sync(ANCHOR, client=service)
origin = anchor.home_domain if "://" in anchor.home_domain else "https://" + anchor.home_domain
toml = tomllib.loads(http.get(origin + "/.well-known/stellar.toml").text)
if toml["SIGNING_KEY"] != anchor.signing_key:
    sys.exit("the stellar.toml is of another key")
# SEP-10: the SDK refuses a challenge that must not be signed.
auth, transfer = toml["WEB_AUTH_ENDPOINT"], toml["TRANSFER_SERVER_SEP0024"]
given = http.get(auth, params={"account": keys.public_key}).json()["transaction"]
home, server = urlsplit(origin).netloc, urlsplit(auth).netloc
challenge = read_challenge_transaction(given, anchor.signing_key, home, server, PASSPHRASE).transaction
challenge.sign(keys)
token = http.post(auth, json={"transaction": challenge.to_xdr()}).json()["token"]
http.headers["Authorization"] = "Bearer " + token

# SEP-24. The withdrawal is attached before it is paid, and the person fills in the anchor's form.
asked = {"asset_code": CODE, "amount": AMOUNT, "account": keys.public_key, "destination_asset": "iso4217:NGN"}
asked["on_change_callback"] = intent.status_callback_url
started = http.post(transfer + "/transactions/withdraw/interactive", json=asked).json()
attachment = AttachTransactionBody(terms.nonce, anchor_transaction_id=started["id"])
attach_transaction.sync(intent.intent_hash, client=service, body=attachment)
httpx.get(started["url"])  # a person opens it in a browser; a simulated anchor only wants it opened
record = started
while record.get("status") != "pending_user_transfer_start":
    time.sleep(1)
    record = http.get(transfer + "/transaction", params={"id": started["id"]}).json()["transaction"]

# Pay what was agreed and no more. The service is told of the payment before it is submitted, so that it is found.
if float(record["amount_in"]) > float(AMOUNT):
    sys.exit("the anchor asks for more than was agreed")
memo = {"id": lambda text: IdMemo(int(text)), "text": TextMemo, "hash": HashMemo}[record["withdraw_memo_type"]]
rpc, asset = SorobanServer(RPC_URL), Asset(CODE, toml["CURRENCIES"][0]["issuer"])
builder = TransactionBuilder(rpc.load_account(keys.public_key), PASSPHRASE, base_fee=100).set_timeout(180)
builder.append_payment_op(record["withdraw_anchor_account"], asset, record["amount_in"])
payment = builder.add_memo(memo(record["withdraw_memo"])).build()
payment.sign(keys)
attachment.payment_hash = payment.hash_hex()
attach_transaction.sync(intent.intent_hash, client=service, body=attachment)
print("paid", payment.hash_hex(), rpc.send_transaction(payment).status.value, flush=True)

# Follow, and dispute what came of it, as if nothing had arrived.
while (seen := get_intent.sync(intent.intent_hash, client=service)).status == "pending":
    time.sleep(2)
print("outcome", seen.status, seen.outcome.reason, flush=True)
dispute = FileDisputeBody.from_dict(sign_dispute(intent.intent_hash, ANCHOR, "Nothing arrived.", keys.secret))
print("dispute", file_dispute.sync(client=service, body=dispute).status)
