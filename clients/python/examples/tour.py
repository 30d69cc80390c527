"""Does everything that this client is for, once, against a running service: a rate, a webhook, an intent, a dispute, a
proof, a limit.

It prints a line of JSON for each step, and reads from its input what only the anchor knows: the id of the withdrawal,
and then a line once it has ended.
"""

import json
import os
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fairlead.batches import verify_proof
from fairlead.canonical import Refused
from fairlead.client import connect
from fairlead.disputes import sign_dispute
from fairlead.errors import FairleadError
from fairlead.intents import intent_hash, new_nonce
from fairlead.rest.api.corridors import list_corridors
from fairlead.rest.api.disputes import file_dispute
from fairlead.rest.api.intents import attach_transaction, create_intent
from fairlead.rest.api.publisher import prove_batch_entry, tick_publisher
from fairlead.rest.api.rates import get_rates
from fairlead.rest.api.reputation import refresh_reputation
from fairlead.rest.api.webhooks import create_webhook, test_webhook
from fairlead.rest.models import (
    AttachTransactionBody,
    CreateIntentBody,
    CreateWebhookBody,
    EventName,
    FileDisputeBody,
)
from fairlead.webhooks import WebhookRefused, verify_webhook

CORRIDOR, ANCHOR = "usdc-ngn", "harbour"
URL = os.environ["FAIRLEAD_URL"]
WEBHOOK_SECRET = "a secret of the tour in Python"

client = connect(
    URL,
    max_retries=0,
    admin_key=os.environ["FAIRLEAD_ADMIN_KEY"],
    cron_secret=os.environ["FAIRLEAD_CRON_SECRET"],
)


def say(step, **members):
    print(json.dumps({"step": step, **members}), flush=True)


def rate():
    rates = get_rates.sync(CORRIDOR, client=client, amount="100")
    say("rate", best=rates.best.anchor_id, receive=rates.quotes[0].receive_amount)


class Receiver(BaseHTTPRequestHandler):
    arrived = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            verify_webhook(body, self.headers, WEBHOOK_SECRET)
        except WebhookRefused as refused:
            self.send_error(401, str(refused))
            return
        self.send_response(204)
        self.end_headers()
        Receiver.arrived.put((body, self.headers))

    def log_message(self, *_):
        pass


def webhook():
    """Registers a receiver of its own, has the service send an event to it, and verifies what arrives."""
    port = int(os.environ["RECEIVER_PORT"])
    with ThreadingHTTPServer(("127.0.0.1", port), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        body = CreateWebhookBody("http://127.0.0.1:%d" % port, [EventName.INTENT_SETTLED], WEBHOOK_SECRET)
        hook = create_webhook.sync(client=client, body=body)
        test_webhook.sync(hook.id, client=client)
        arrived, headers = Receiver.arrived.get(timeout=60)
        server.shutdown()
    event = verify_webhook(arrived, headers, WEBHOOK_SECRET)
    try:
        verify_webhook(arrived.replace(b'"amount":"', b'"amount":"9'), headers, WEBHOOK_SECRET)
        refused = False
    except WebhookRefused:
        refused = True
    say("webhook", event=event["event"], forgedIsRefused=refused)


def intent_and_dispute():
    terms = CreateIntentBody(CORRIDOR, ANCHOR, os.environ["ACCOUNT"], "100.50", new_nonce())
    own = intent_hash(terms.to_dict())
    intent = create_intent.sync(client=client, body=terms)
    say("intent", intentHash=intent.intent_hash, own=own, callback=intent.status_callback_url)

    attachment = AttachTransactionBody(nonce=terms.nonce, anchor_transaction_id=input())
    attached = attach_transaction.sync(own, client=client, body=attachment)
    signed = sign_dispute(own, ANCHOR, "Nothing arrived.", os.environ["SECRET_KEY"])
    dispute = FileDisputeBody.from_dict(signed)
    early = None
    try:
        file_dispute.sync(client=client, body=dispute)
    except FairleadError as error:
        early = error.code
    say("attached", id=attached.transaction.id, early=early)

    input()
    say("dispute", status=file_dispute.sync(client=client, body=dispute).status)


def proof():
    """Publishes the scores, as the schedule of a service does, and proves that of one anchor."""
    keys = json.loads(os.environ["PUBLISHER_KEYS"])
    refresh_reputation.sync(client=client)
    tick_publisher.sync(client=client)
    answer = prove_batch_entry.sync_detailed("1", client=client, anchor=ANCHOR, corridor=CORRIDOR)
    card = verify_proof(answer.content, keys)
    try:
        verify_proof(answer.content.replace(b'"anchorId":"harbour"', b'"anchorId":"squall"'), keys)
        refused = False
    except Refused:
        refused = True
    sequence = answer.parsed.batch.header.sequence
    say("proof", sequence=sequence, anchor=card["anchorId"], forgedIsRefused=refused)


def limit():
    """Uses up the requests of a window, and waits for the next one."""
    while True:
        try:
            list_corridors.sync(client=client)
        except FairleadError as error:
            refused = error
            break
    page = list_corridors.sync(client=connect(URL, max_wait=90))
    say("limited", code=refused.code, waits=refused.retry_after > 0, waited=len(page.items) > 0)


if __name__ == "__main__":
    for step in (rate, webhook, intent_and_dispute, proof, limit):
        step()
