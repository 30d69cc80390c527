"""What went wrong, for programs. Written by `npm run openapi` from contract/errors.ts; do not edit."""

from enum import Enum


class Code(str, Enum):
    """Every error code of this version; a newer service may have others."""

    # A path, query, header or body value does not have its documented form, and `details` names each such
    # value; or the request is not valid HTTP.
    INVALID_REQUEST = "INVALID_REQUEST"
    # The body is not JSON, is nested deeper than 16 levels, or has a key `__proto__`, `constructor` or
    # `prototype`.
    MALFORMED_JSON = "MALFORMED_JSON"
    # The admin key or bearer credential is missing, wrong, or not configured on the server.
    UNAUTHORIZED = "UNAUTHORIZED"
    # The Ed25519 signature does not verify for this text and public key.
    INVALID_SIGNATURE = "INVALID_SIGNATURE"
    # The signer is neither the account of the intent nor the anchor it concerns, or may not dispute this
    # outcome.
    SIGNER_NOT_ENTITLED = "SIGNER_NOT_ENTITLED"
    # Nothing is served at this path.
    NOT_FOUND = "NOT_FOUND"
    # The corridor in the path is well formed but not served.
    UNKNOWN_CORRIDOR = "UNKNOWN_CORRIDOR"
    # The anchor in the path was never in the fleet.
    UNKNOWN_ANCHOR = "UNKNOWN_ANCHOR"
    # No intent has this hash, or the nonce is not the one that it was registered with.
    UNKNOWN_INTENT = "UNKNOWN_INTENT"
    # No dispute has this id.
    UNKNOWN_DISPUTE = "UNKNOWN_DISPUTE"
    # No webhook or delivery has this id.
    UNKNOWN_WEBHOOK = "UNKNOWN_WEBHOOK"
    # No batch has this sequence, or the batch holds no such entry.
    UNKNOWN_BATCH = "UNKNOWN_BATCH"
    # The path exists, but not with this method; the `Allow` header lists the methods it has.
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    # The header block was not received within 5 seconds, or the request not within 10.
    REQUEST_TIMEOUT = "REQUEST_TIMEOUT"
    # The same job is running already; `startedAt` says since when.
    RUN_IN_PROGRESS = "RUN_IN_PROGRESS"
    # The other party of this intent has filed a dispute that is still open.
    DISPUTE_EXISTS = "DISPUTE_EXISTS"
    # The dispute was already decided the other way.
    DISPUTE_RESOLVED = "DISPUTE_RESOLVED"
    # The outcome is older than the 30 days in which it can be disputed.
    DISPUTE_WINDOW_CLOSED = "DISPUTE_WINDOW_CLOSED"
    # The intent has no outcome yet that could be disputed.
    INTENT_UNRESOLVED = "INTENT_UNRESOLVED"
    # The anchor's present quote pays out less than `minReceive`.
    QUOTE_BELOW_MINIMUM = "QUOTE_BELOW_MINIMUM"
    # The intent already follows another transaction that was seen, or the intent has ended, or another
    # intent holds the transaction. In the last case the claim of this intent is stored, and the transaction
    # may pass to it later.
    TRANSACTION_CONFLICT = "TRANSACTION_CONFLICT"
    # The body is larger than 16 KB.
    PAYLOAD_TOO_LARGE = "PAYLOAD_TOO_LARGE"
    # The request target is longer than 2 KB.
    URI_TOO_LONG = "URI_TOO_LONG"
    # A body was sent that is not `application/json` in UTF-8.
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE"
    # The query or body names a corridor or an anchor that is unknown, an anchor that does not serve the
    # corridor, or a delivery method that is not offered there.
    UNSUPPORTED_PAIR = "UNSUPPORTED_PAIR"
    # The dispute names an anchor that is not the intent's.
    ANCHOR_MISMATCH = "ANCHOR_MISMATCH"
    # The amount is outside the limits of the corridor, or every anchor refused it. For `receive`: every
    # anchor refused the payout or would take an amount outside those limits for it.
    AMOUNT_OUT_OF_RANGE = "AMOUNT_OUT_OF_RANGE"
    # A limit is used up: that of this endpoint, counted per client address, public key or anchor as the
    # operation says, or that of rates for amounts that nobody requested lately. Or the client already holds
    # as many streams as it may. `retryAfter` says how many seconds to wait.
    RATE_LIMITED = "RATE_LIMITED"
    # The header block is larger than 8 KB.
    HEADERS_TOO_LARGE = "HEADERS_TOO_LARGE"
    # A fault of the service. The `X-Request-Id` header identifies it in the log.
    INTERNAL = "INTERNAL"
    # No anchor of the corridor has a quote, and no stored quote is recent enough; `unavailable` says why.
    # `retryAfter` is present only if waiting may help.
    RATES_UNAVAILABLE = "RATES_UNAVAILABLE"
    # The service is starting or stopping; its database does not answer; the instance that should run a job
    # has a wrong clock; the instance holds as many streams as it can; too many requests change one intent
    # at once; or the client that registers an intent already holds its share of the unpaid intents.
    NOT_READY = "NOT_READY"
