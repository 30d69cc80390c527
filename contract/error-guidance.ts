import type { ErrorBody, ErrorCode } from './errors.js';

/** Whether the same request may be sent again, by kind of code. */
export const retryKinds = {
  never: { name: 'No.', text: 'The request changed nothing, and the same request gets the same answer.' },
  claimed: {
    name: 'Not while another intent holds the transaction.',
    text: 'Your claim on it was stored; in the other cases nothing was changed.',
  },
  waited: {
    name: 'After `retryAfter` seconds.',
    text: 'The request changed nothing. Spread the retries of many clients by a random part of that time.',
  },
  waitedIfSaid: {
    name: 'Only if `retryAfter` is present.',
    text: 'Wait that many seconds. If it is absent, waiting does not help.',
  },
  once: {
    name: 'On a new connection.',
    text: 'The request changed nothing. Try three times at most, and double the wait each time.',
  },
  unknown: {
    name: 'With care.',
    text:
      'Nobody knows how far the request got. Reads may be repeated, and so may registering an intent with the same ' +
      'nonce and filing the same dispute, which answer 200 if the first one succeeded. Before creating a webhook, ' +
      'replacing a secret or sending a delivery again, read the current state. Try three times at most, after 1, 2 ' +
      'and 4 seconds.',
  },
  waitedUnknown: {
    name: 'After `retryAfter` seconds, with care.',
    text: 'It may have been carried out after all; what may be repeated is as above.',
  },
  whenChanged: {
    name: 'Once the state has changed.',
    text: 'The request changed nothing. Repeat it after minutes, not seconds.',
  },
} as const satisfies Record<string, { name: string; text: string }>;

interface ErrorGuidance<C extends ErrorCode = ErrorCode> {
  /** The usual causes, where `when` of the table does not say them all. */
  cause?: string;
  retry: keyof typeof retryKinds;
  /** What the sender of the request does about the error. */
  caller: string;
  /** What the operator of the service does about the error, if anything. */
  operator?: string;
  /** An answer of the service, word for word; the tests require that the service gives it. */
  example: Omit<ErrorBody<C>, 'code'>;
}

/** The guidance in docs/errors.md on each code. Only the generator of the page reads it; no client loads these texts. */
export const errorGuidance: { [C in ErrorCode]: ErrorGuidance<C> } = {
  INVALID_REQUEST: {
    cause:
      'A value is missing, misspelt or of the wrong form, or a member or parameter is not known here. Amounts are decimal ' +
      'texts, not numbers; dates are ISO 8601; every object but the callback of an anchor refuses members that the document does not list.',
    retry: 'never',
    caller:
      'Read `details`: each entry names the place (`body.amount`, `query.limit`) and says what is wrong there. The ' +
      'typed client finds most of these while it compiles. `details` is absent if the request was not valid HTTP, or ' +
      'if it asks for a stream on a connection on which an earlier request is not answered yet.',
    example: {
      message: 'query.limit: must be a whole number from 1 to 100',
      details: [{ path: 'query.limit', message: 'must be a whole number from 1 to 100' }],
    },
  },
  MALFORMED_JSON: {
    cause:
      'The body was cut off, put together by hand, encoded in something other than UTF-8, or holds a key that could reach a prototype.',
    retry: 'never',
    caller: 'Let a JSON library write the body, and send its length in bytes, not in characters.',
    example: { message: 'The body is not valid JSON in UTF-8.' },
  },
  UNAUTHORIZED: {
    cause:
      'The key is missing, mistyped, of another service, or was replaced. A service without ADMIN_SECRET_KEY or ' +
      'CRON_SECRET answers this to every key. Requests are counted per address before the key is compared, so ' +
      'guessing ends in 429.',
    retry: 'never',
    caller:
      'Send `X-Admin-Key` for admin operations and `Authorization: Bearer` for internal ones, as the operation says.',
    operator:
      'Check that ADMIN_SECRET_KEY or CRON_SECRET is set: if it is not, a `warn` line at the start says so. Both take two ' +
      'values, separated by a comma, so that a key can be replaced without a gap (docs/operations/configure.md).',
    example: { message: 'This endpoint needs a valid X-Admin-Key header.' },
  },
  INVALID_SIGNATURE: {
    cause:
      'The text that was signed is not the one that is checked: it has another intentHash, a hash in capitals, no ' +
      'prefix of the wallet form, or, in a callback, another host or time. Or the key that signed is not `publicKey`.',
    retry: 'never',
    caller:
      'For disputes, compare your text with docs/disputes.md, and let `signDispute` of the contract package make it. For ' +
      'callbacks, sign `<t>.<host>.<body>` over the exact bytes that are sent, with a clock that is right.',
    operator:
      'For callbacks: the anchor signs with the SIGNING_KEY of its stellar.toml; check whether it was replaced (docs/fleet.md).',
    example: { message: 'The signature does not verify for this intentHash and publicKey.' },
  },
  SIGNER_NOT_ENTITLED: {
    cause:
      'The key belongs to nobody who may dispute, such as a session key, a shared account or another wallet, or to the party that the outcome favours. The signature is checked after this.',
    retry: 'never',
    caller:
      'Sign with the account of the intent, or with the SIGNING_KEY of its anchor. An anchor may dispute failures only.',
    example: { message: 'This key may not dispute this outcome.' },
  },
  NOT_FOUND: {
    cause: 'A mistyped path, a slash at the end, capitals in a fixed part, or a path of another release.',
    retry: 'never',
    caller:
      'Compare the path with /openapi.json of this very service. Paths are case-sensitive and have no slash at the end.',
    operator: 'If there is a proxy in front, check whether it rewrites paths.',
    example: { message: 'Nothing is served at this path.' },
  },
  UNKNOWN_CORRIDOR: {
    cause:
      'The asset, the currency or the country is not one of a corridor of the fleet, or the corridor has left the fleet.',
    retry: 'never',
    caller: 'Take corridors from `GET /api/corridors`.',
    operator:
      'A corridor appears once the fleet file lists it under `corridors` and the service is restarted (docs/fleet.md).',
    example: { message: 'The corridor usdc-zzz is not served.' },
  },
  UNKNOWN_ANCHOR: {
    cause:
      'A mistyped id, or an anchor of another service. An anchor that has left the fleet is still known.',
    retry: 'never',
    caller: 'Take ids from `GET /api/anchors`.',
    example: { message: 'No anchor nobody was ever in the fleet.' },
  },
  UNKNOWN_INTENT: {
    cause:
      'The intent was never registered here, its hash was computed from other terms, or it was removed: unpaid ' +
      'intents are removed some days after they ended (docs/intents.md). If the request has a nonce, the hash may be ' +
      'right and the nonce wrong.',
    retry: 'never',
    caller:
      'Compute the hash from the terms that the service returned, with `intentHash` of the contract package, and keep the nonce that you registered with.',
    example: { message: 'No intent has this hash.' },
  },
  UNKNOWN_DISPUTE: {
    retry: 'never',
    caller: 'Take ids from `GET /api/admin/disputes`.',
    example: { message: 'No dispute has this id.' },
  },
  UNKNOWN_WEBHOOK: {
    cause: 'The webhook was deleted, or the delivery is older than 30 days and was removed.',
    retry: 'never',
    caller: 'Take ids from `GET /api/admin/webhooks` and from the deliveries of the webhook.',
    example: { message: 'No webhook has this id.' },
  },
  UNKNOWN_BATCH: {
    cause:
      'The sequence is past the latest batch, or the anchor had no score in that corridor when the batch was made.',
    retry: 'whenChanged',
    caller:
      'Take the sequence from `batch` of an answer with scores, or from `GET /api/publisher/batches`, and prove an entry that `entries` lists.',
    operator: 'If no new batch is made, GET /api/publisher/health says why (docs/publisher.md).',
    example: { message: 'There is no batch 999.' },
  },
  METHOD_NOT_ALLOWED: {
    retry: 'never',
    caller: 'Take a method from the `Allow` header.',
    example: { message: 'This path has GET, HEAD, OPTIONS.' },
  },
  REQUEST_TIMEOUT: {
    cause:
      'A slow or broken connection, a body shorter than its Content-Length, or a proxy that holds the body back.',
    retry: 'once',
    caller: 'Send the request in one go, with the length that the body has.',
    operator:
      'If many clients get it, a proxy in front may pass bodies on slowly: let it receive them whole first.',
    example: { message: 'The request was not received completely in time.' },
  },
  RUN_IN_PROGRESS: {
    cause: 'The scheduler, another instance or another operator has started the same run.',
    retry: 'whenChanged',
    caller: 'Nothing: the run that is under way does the work. `startedAt` says since when.',
    operator: 'A run whose instance was killed frees its lease within half a minute, by itself.',
    example: { message: 'A tick is running already.', startedAt: '2026-11-21T09:30:00.000Z' },
  },
  DISPUTE_EXISTS: {
    retry: 'whenChanged',
    caller:
      'Wait for `dispute.resolved`, or read the intent: your own dispute may be filed once that one is decided.',
    operator: 'Decide the open dispute (docs/disputes.md).',
    example: { message: 'Another dispute of this intent is still open.' },
  },
  DISPUTE_RESOLVED: {
    cause:
      'Two admins decided at the same time, or one wants to change a verdict, which is final. The same verdict again is 200.',
    retry: 'never',
    caller: 'Read the dispute: its `audit` says who decided what.',
    example: { message: 'The dispute was accepted already.' },
  },
  DISPUTE_WINDOW_CLOSED: {
    retry: 'never',
    caller: 'Take the matter up with the anchor itself: the record no longer changes.',
    example: { message: 'The outcome is older than 30 days.' },
  },
  INTENT_UNRESOLVED: {
    retry: 'whenChanged',
    caller:
      'Follow the intent, or subscribe to `intent.settled` and `intent.failed`, and dispute its outcome, or decide its dispute, then.',
    example: { message: 'The intent has no outcome yet.' },
  },
  QUOTE_BELOW_MINIMUM: {
    cause:
      'The price moved between the rate that was shown and the registration, or `minReceive` treats fees differently from the quote.',
    retry: 'whenChanged',
    caller:
      'Ask for rates again, show the person the new amount, and register with a `minReceive` that they accept.',
    example: { message: 'The anchor quotes 154500.00, below minReceive.' },
  },
  TRANSACTION_CONFLICT: {
    retry: 'claimed',
    caller:
      'Read the intent to see which transaction it follows. If another intent holds your withdrawal, do nothing more: ' +
      'your claim is stored, and as long as that intent has no outcome, the transaction passes to yours if the ' +
      "anchor's record or the ledger shows that your account paid (docs/intents.md).",
    example: { message: 'This intent already follows another transaction.' },
  },
  PAYLOAD_TOO_LARGE: {
    cause: 'A text that is far longer than its documented limit, or a body that belongs elsewhere.',
    retry: 'never',
    caller: 'No documented body comes near 16 KB: check what you send.',
    example: { message: 'The body is larger than 16 KB.' },
  },
  URI_TOO_LONG: {
    cause: 'Something was put into the query that belongs in a body, or a cursor was repeated.',
    retry: 'never',
    caller: 'Send each parameter once. Cursors are at most 512 characters.',
    example: { message: 'The request target is longer than 2 KB.' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'A form, a body without Content-Type, another charset, or a compressed body.',
    retry: 'never',
    caller: 'Send `Content-Type: application/json`, in UTF-8, without Content-Encoding.',
    example: { message: 'The body must be sent as application/json in UTF-8.' },
  },
  UNSUPPORTED_PAIR: {
    retry: 'never',
    caller:
      'Read `details` for the place, and take anchors and delivery methods of a corridor from `GET /api/corridors`.',
    example: {
      message: 'body.corridor: is not a corridor that is served',
      details: [{ path: 'body.corridor', message: 'is not a corridor that is served' }],
    },
  },
  ANCHOR_MISMATCH: {
    retry: 'never',
    caller: 'Take `anchorId` from the intent itself.',
    example: {
      message: 'body.anchorId: is not the anchor of this intent',
      details: [{ path: 'body.anchorId', message: 'is not the anchor of this intent' }],
    },
  },
  AMOUNT_OUT_OF_RANGE: {
    retry: 'never',
    caller: 'Take `min` and `max` from `GET /api/corridors`; `details` repeats what was wrong.',
    operator:
      'If an amount within the limits is refused by all, compare the limits in the fleet file with what the anchors quote (docs/fleet.md).',
    example: {
      message: 'query.amount: must be between 10 and 10000 in this corridor',
      details: [{ path: 'query.amount', message: 'must be between 10 and 10000 in this corridor' }],
    },
  },
  RATE_LIMITED: {
    retry: 'waited',
    caller:
      'Wait for the whole `Retry-After`: earlier requests are refused. Poll with `If-None-Match`, subscribe to events ' +
      'instead of polling, and keep answers as long as `Cache-Control` allows. `X-RateLimit-Remaining` says how many ' +
      'requests are left.',
    operator:
      'If all clients are counted as one, TRUST_PROXY is missing: without it, a proxy counts as the client. A wallet ' +
      'that sends requests for many people has to forward their addresses (docs/operations/configure.md).',
    example: { message: 'Too many requests; try again after the seconds in retryAfter.', retryAfter: 17 },
  },
  HEADERS_TOO_LARGE: {
    cause: 'Cookies of another application on the same domain, or a long credential.',
    retry: 'never',
    caller: 'The service reads no cookies: leave them out.',
    operator: 'Serve the API on a host name of its own, so that browsers send it no cookies.',
    example: { message: 'The header block is larger than 8 KB.' },
  },
  INTERNAL: {
    cause: 'Something happened that the service does not foresee.',
    retry: 'unknown',
    caller: 'Tell the operator the `X-Request-Id` of the answer.',
    operator:
      'Search the log for that id: an `error` line with the cause was written once. Please report it if it is a fault of the ' +
      'service (CONTRIBUTING.md).',
    example: { message: 'The service failed; quote the X-Request-Id when reporting it.' },
  },
  RATES_UNAVAILABLE: {
    retry: 'waitedIfSaid',
    caller:
      'Show the person that no rate is available, and ask again after `retryAfter`. Reasons such as `refused_amount` do not go away: ask for another amount.',
    operator:
      'Look at `fairlead_anchor_quotes_total` and at the reasons: if all anchors fail at once, outgoing calls may be blocked (docs/operations/run.md).',
    example: {
      message: 'No anchor of usdc-zar has a quote.',
      retryAfter: 5,
      unavailable: [{ anchorId: 'harbour', reason: 'error' }],
    },
  },
  NOT_READY: {
    retry: 'waitedUnknown',
    caller: 'Wait for `Retry-After`, and show people that the service is unavailable for a moment.',
    operator: 'GET /readyz names what fails. If it lasts, see docs/operations/run.md.',
    example: { message: 'The database does not answer.', retryAfter: 2 },
  },
};
