/**
 * OUTBOUND_ALLOW, for operators.
 *
 * The addresses that this service calls come from others: fleet files, anchors' TOML, webhook registrations.
 * It therefore speaks only https, only to port 443 and only to public addresses. What you list here is exempt:
 * exact origins (scheme, host and port), separated by commas, such as
 * `http://127.0.0.1:7301,https://10.0.0.5:8443`. Only a listed origin may be http, on another port, or on a
 * loopback, private or otherwise special address, and then only to that very host and port.
 *
 * A listed host name is found through the system (hosts file included) and may lead anywhere it resolves to, so
 * list a name only if you trust whoever controls it. `http://127.0.0.1:*` stands for every port of a loopback address, which
 * is for development alone. Certificates are always checked; for a private authority set
 * NODE_EXTRA_CA_CERTS. Proxy variables are not read, redirects are not followed.
 */
export function parseOutboundAllow(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== '').map(parseAllowedOrigin))];
}

/**
 * The origins of FX_URL, ORACLE_URL, LEDGER_RPC_URL and HORIZON_URL, where set, which are the operator's own and
 * exempt. A connector that allows them is for calls to them alone: anyone who gave it an address could reach them.
 */
export function originsOfOperator(urls: readonly (string | undefined)[]): string[] {
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin]));
}

/** Whether the operator listed the origin of this URL, itself or as one of every port of its host. */
export function isListed({ origin, protocol, hostname }: URL, listed: ReadonlySet<string>): boolean {
  return listed.has(origin) || listed.has(`${protocol}//${hostname}:*`);
}

/** The one spelling of an exact origin, or of every port of loopback. @throws Error that names the entry and its fault */
export function parseAllowedOrigin(entry: string): string {
  const refuse = (fault: string) =>
    new Error(`"${entry.slice(0, 64)}" ${fault}; expected an exact origin such as http://127.0.0.1:7301`);
  if (!/^https?:\/\/[^/]/i.test(entry)) throw refuse('does not begin with http:// or https://');
  if (/^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost):\*$/.test(entry)) return entry;
  if (entry.includes('*')) throw refuse('holds a wildcard, which is for the ports of loopback alone');
  let url: URL;
  try {
    url = new URL(entry);
  } catch {
    throw refuse('is not a URL');
  }
  if (url.username !== '' || url.password !== '' || entry.includes('@')) throw refuse('holds credentials');
  if (url.pathname !== '/' || /[?#\\\s]/.test(entry)) throw refuse('has something after the host and port');
  if (url.hostname.endsWith('.')) throw refuse('ends its host in a dot');
  return url.origin;
}
