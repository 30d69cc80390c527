/** What the document says of the service as a whole; Markdown. */
export const description = `Fairlead compares what anchors pay out for a stablecoin, remembers who delivered, publishes signed and
provable scores, and tells subscribers by webhook.

**Values.** Amounts and rates are decimal strings, never floats; a rate is fiat per one stablecoin, all fees in.
Instants are ISO 8601 in UTC with milliseconds. No rate here is firm: it becomes so in the anchor's own flow.

**Lists** answer \`{items, nextCursor}\`; send \`nextCursor\` back as \`cursor\` for the next page, until it is null.

**Errors** all have one shape, \`{code, message}\`, and the further members that their code promises. Programs read
\`code\`; docs/error-codes.md says exactly when each occurs. A path that is not served is 404 \`NOT_FOUND\`, a method
that a path does not have is 405 \`METHOD_NOT_ALLOWED\`.

**Limits.** Each endpoint has a counter of its own for each client, in a fixed window. Every answer of a limited
endpoint carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; a 429 says in
\`Retry-After\`, as in its body, how many seconds to wait. HEAD counts as GET.

**Caching.** Answers with an \`ETag\` may be asked for again with \`If-None-Match\`; \`Cache-Control\` says how long
they stay fresh. Errors are never to be kept.

**Tracing.** Every answer carries \`X-Request-Id\`; a caller's own is kept where it has 8 to 64 letters, digits, dots,
underscores or hyphens.`;

export const securitySchemes = {
  adminKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Key',
    description: "The operator's key: a value of the server's environment variable ADMIN_SECRET_KEY.",
  },
  cronSecret: {
    type: 'http',
    scheme: 'bearer',
    description: "The scheduler's credential: a value of the server's environment variable CRON_SECRET.",
  },
} as const;

/** The committed document names the address of a service started by \`npm start\`; a service names its own. */
export const servers = [
  { url: 'http://127.0.0.1:8080', description: 'A service started on this machine with its defaults.' },
];
