// Code generated from contract/errors.ts by npm run openapi; DO NOT EDIT.

package fairlead

// Code says what went wrong, for programs. A newer service may have codes that are not listed here.
type Code string

const (
	// CodeInvalidRequest: A path, query, header or body value does not have its documented form, and `details` names
	// each such value; or the request is not valid HTTP.
	CodeInvalidRequest Code = "INVALID_REQUEST"
	// CodeMalformedJSON: The body is not JSON, is nested deeper than 16 levels, or has a key `__proto__`,
	// `constructor` or `prototype`.
	CodeMalformedJSON Code = "MALFORMED_JSON"
	// CodeUnauthorized: The admin key or bearer credential is missing, wrong, or not configured on the server.
	CodeUnauthorized Code = "UNAUTHORIZED"
	// CodeInvalidSignature: The Ed25519 signature does not verify for this text and public key.
	CodeInvalidSignature Code = "INVALID_SIGNATURE"
	// CodeSignerNotEntitled: The signer is neither the account of the intent nor the anchor it concerns, or may not
	// dispute this outcome.
	CodeSignerNotEntitled Code = "SIGNER_NOT_ENTITLED"
	// CodeNotFound: Nothing is served at this path.
	CodeNotFound Code = "NOT_FOUND"
	// CodeUnknownCorridor: The corridor in the path is well formed but not served.
	CodeUnknownCorridor Code = "UNKNOWN_CORRIDOR"
	// CodeUnknownAnchor: The anchor in the path was never in the fleet.
	CodeUnknownAnchor Code = "UNKNOWN_ANCHOR"
	// CodeUnknownIntent: No intent has this hash, or the nonce is not the one that it was registered with.
	CodeUnknownIntent Code = "UNKNOWN_INTENT"
	// CodeUnknownDispute: No dispute has this id.
	CodeUnknownDispute Code = "UNKNOWN_DISPUTE"
	// CodeUnknownWebhook: No webhook or delivery has this id.
	CodeUnknownWebhook Code = "UNKNOWN_WEBHOOK"
	// CodeUnknownBatch: No batch has this sequence, or the batch holds no such entry.
	CodeUnknownBatch Code = "UNKNOWN_BATCH"
	// CodeMethodNotAllowed: The path exists, but not with this method; the `Allow` header lists the methods it has.
	CodeMethodNotAllowed Code = "METHOD_NOT_ALLOWED"
	// CodeRequestTimeout: The header block was not received within 5 seconds, or the request not within 10.
	CodeRequestTimeout Code = "REQUEST_TIMEOUT"
	// CodeRunInProgress: The same job is running already; `startedAt` says since when.
	CodeRunInProgress Code = "RUN_IN_PROGRESS"
	// CodeDisputeExists: The other party of this intent has filed a dispute that is still open.
	CodeDisputeExists Code = "DISPUTE_EXISTS"
	// CodeDisputeResolved: The dispute was already decided the other way.
	CodeDisputeResolved Code = "DISPUTE_RESOLVED"
	// CodeDisputeWindowClosed: The outcome is older than the 30 days in which it can be disputed.
	CodeDisputeWindowClosed Code = "DISPUTE_WINDOW_CLOSED"
	// CodeIntentUnresolved: The intent has no outcome yet that could be disputed.
	CodeIntentUnresolved Code = "INTENT_UNRESOLVED"
	// CodeQuoteBelowMinimum: The anchor's present quote pays out less than `minReceive`.
	CodeQuoteBelowMinimum Code = "QUOTE_BELOW_MINIMUM"
	// CodeTransactionConflict: The intent already follows another transaction that was seen, or the intent has ended,
	// or another intent holds the transaction. In the last case the claim of this intent is stored, and the
	// transaction may pass to it later.
	CodeTransactionConflict Code = "TRANSACTION_CONFLICT"
	// CodePayloadTooLarge: The body is larger than 16 KB.
	CodePayloadTooLarge Code = "PAYLOAD_TOO_LARGE"
	// CodeURITooLong: The request target is longer than 2 KB.
	CodeURITooLong Code = "URI_TOO_LONG"
	// CodeUnsupportedMediaType: A body was sent that is not `application/json` in UTF-8.
	CodeUnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
	// CodeUnsupportedPair: The query or body names a corridor or an anchor that is unknown, an anchor that does not
	// serve the corridor, or a delivery method that is not offered there.
	CodeUnsupportedPair Code = "UNSUPPORTED_PAIR"
	// CodeAnchorMismatch: The dispute names an anchor that is not the intent's.
	CodeAnchorMismatch Code = "ANCHOR_MISMATCH"
	// CodeAmountOutOfRange: The amount is outside the limits of the corridor, or every anchor refused it. For
	// `receive`: every anchor refused the payout or would take an amount outside those limits for it.
	CodeAmountOutOfRange Code = "AMOUNT_OUT_OF_RANGE"
	// CodeRateLimited: A limit is used up: that of this endpoint, counted per client address, public key or anchor as
	// the operation says, or that of rates for amounts that nobody requested lately. Or the client already holds as
	// many streams as it may. `retryAfter` says how many seconds to wait.
	CodeRateLimited Code = "RATE_LIMITED"
	// CodeHeadersTooLarge: The header block is larger than 8 KB.
	CodeHeadersTooLarge Code = "HEADERS_TOO_LARGE"
	// CodeInternal: A fault of the service. The `X-Request-Id` header identifies it in the log.
	CodeInternal Code = "INTERNAL"
	// CodeRatesUnavailable: No anchor of the corridor has a quote, and no stored quote is recent enough; `unavailable`
	// says why. `retryAfter` is present only if waiting may help.
	CodeRatesUnavailable Code = "RATES_UNAVAILABLE"
	// CodeNotReady: The service is starting or stopping; its database does not answer; the instance that should run a
	// job has a wrong clock; the instance holds as many streams as it can; too many requests change one intent at
	// once; or the client that registers an intent already holds its share of the unpaid intents.
	CodeNotReady Code = "NOT_READY"
)
