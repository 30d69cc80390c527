"""Webhooks: whether a delivery is the service's, and fresh."""

import base64
import hashlib
import hmac
import json
import re
import time

from fairlead.canonical import Refused, decode_base64

TOLERANCE_SECONDS = 300
_MAX_SIGNATURES = 10


class WebhookRefused(Refused):
    """Not a delivery of the service, or too old: answer 401 and do nothing."""


def verify_webhook(
    body, headers, secret, *, tolerance_seconds=TOLERANCE_SECONDS, now=None, require_timestamp=True
):
    """The event of a delivery; raises WebhookRefused.

    `body` is bytes, exactly as they arrived. `headers` is a mapping, or what has `items()`, in any case. `secret` is the
    registered one; during a rotation a list of the new and the old one. Deliveries come at least once: do nothing for an
    `id` seen before. The data is authentic but not validated, and a newer service may add events and members. Without
    `require_timestamp` a delivery with none of the webhook- headers passes: they alone carry a time, and the service always
    sends them. An empty secret is a ValueError: anyone can sign with it.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or "" in secrets:
        raise ValueError("there is no secret to verify with")
    given = {}
    for name, value in headers.items():
        # A header sent twice matches nothing: the second value could be another reader's.
        once = name.lower() not in given and isinstance(value, str)
        given[name.lower()] = value if once else ""
    signature = given.get("x-fairlead-signature", "")
    if not _any(webhook_is_authentic(one, body, signature) for one in secrets):
        raise WebhookRefused("X-Fairlead-Signature is missing or does not match the body")
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    standard = [given.get(name, "") for name in names]
    if require_timestamp or any(name in given for name in names):
        _check_standard(body, standard, secrets, tolerance_seconds, time.time() if now is None else now)
    return _event(body)


def _check_standard(body, standard, secrets, tolerance_seconds, now):
    message_id, timestamp, signatures = standard
    if not all(standard):
        raise WebhookRefused("one of the three webhook- headers is missing, or sent twice")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise WebhookRefused("webhook-timestamp is not a time in seconds")
    if abs(now - int(timestamp)) > tolerance_seconds:
        raise WebhookRefused("webhook-timestamp is too far from now")
    expected = [standard_signature(one, message_id, timestamp, body).encode() for one in secrets]
    listed = [_bytes(one) for one in signatures.split(" ")[:_MAX_SIGNATURES]]
    if not _any(hmac.compare_digest(one, other) for one in listed for other in expected):
        raise WebhookRefused("webhook-signature holds no matching signature")


def _bytes(text):
    """Of any text: half a surrogate pair matches nothing, and is no error."""
    return text.encode("utf-8", "surrogatepass")


def _any(results):
    """Without stopping at the first, so that the time does not tell which one holds."""
    return True in list(results)


def _event(body):
    try:
        event = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise WebhookRefused("the body is not JSON in UTF-8") from error
    if not isinstance(event, dict) or not isinstance(event.get("data"), dict):
        raise WebhookRefused("the body is not an event")
    if not all(isinstance(event.get(name), str) and event[name] for name in ("event", "id", "createdAt")):
        raise WebhookRefused("the body is not an event")
    return event


def webhook_signature(secret, body):
    return hmac.new(secret.encode("utf-8"), body, hashlib.sha256).hexdigest()


def webhook_is_authentic(secret, body, signature):
    return hmac.compare_digest(webhook_signature(secret, body).encode(), _bytes(signature))


def standard_secret(secret):
    """The secret as libraries of Standard Webhooks take it."""
    if secret.startswith("whsec_") and secret != "whsec_":
        try:
            decode_base64(secret[len("whsec_") :])
            return secret
        except Refused:
            pass  # Then it is a text as any other.
    return "whsec_" + base64.b64encode(secret.encode("utf-8")).decode("ascii")


def standard_signature(secret, message_id, timestamp, body):
    key = base64.b64decode(standard_secret(secret)[len("whsec_") :])
    signed = _bytes(message_id + "." + timestamp + ".") + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode("ascii")
