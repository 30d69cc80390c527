import { isIP } from 'node:net';
import { blockReason } from './address-rules.js';
import { OutboundError } from './outbound-error.js';

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

const maxUrlLength = 4_096;

/** Where a call may go. `hostname` has no brackets; `literal` says that it is an address and not a name. */
export interface Target {
  origin: string;
  /** Path and query, as they go on the request line; the fragment is dropped. */
  path: string;
  hostname: string;
  port: number;
  secure: boolean;
  literal: boolean;
  /** Named by the operator: any port, http, and whatever address the host leads to. */
  listed: boolean;
}

/**
 * Decides, without asking DNS, whether a URL may be called at all.
 *
 * The WHATWG parser normalises every spelling of a host (decimal, octal, hex, short, full-width, percent-encoded), and
 * only its result is ever connected to, so there is no second parser that could disagree.
 * @throws OutboundError `invalid_url` or `blocked`
 */
export function vetUrl(text: string, listedOrigins: ReadonlySet<string>): Target {
  const url = parse(text);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const literal = isIP(hostname) !== 0;
  const listed = isListed(url, listedOrigins);
  if (!listed) {
    if (!secure) throw blocked(url, 'is not https');
    if (port !== 443) throw blocked(url, 'is not on port 443');
    const reason = literal ? blockReason(hostname) : nameReason(hostname);
    if (reason !== undefined) throw blocked(url, `is ${reason}`);
  }
  return { origin: url.origin, path: url.pathname + url.search, hostname, port, secure, literal, listed };
}

function parse(text: string): URL {
  if (text.length > maxUrlLength) throw invalid(`is longer than ${maxUrlLength} characters`);
  // The parser would silently drop tabs and line breaks, and read `https:host` and backslashes as if well-formed.
  if (!/^https?:\/\/[^/]/i.test(text)) throw invalid('does not begin with http:// or https:// and a host');
  if (hasControlSpaceOrBackslash(text)) throw invalid('holds a space, control character or backslash');
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw invalid('does not parse', cause);
  }
  // An empty `user@` leaves no trace in the parsed form.
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  if (authority.includes('@')) throw invalid('holds credentials');
  if (url.hostname.endsWith('.')) throw invalid('ends its host in a dot');
  return url;
}

function hasControlSpaceOrBackslash(text: string): boolean {
  for (const character of text) {
    if (character <= ' ' || character === '\u007f' || character === '\\') return true;
  }
  return false;
}

/** RFC 6761 section 6.3: these names are loopback whatever a resolver says. */
function nameReason(hostname: string): string | undefined {
  return hostname === 'localhost' || hostname.endsWith('.localhost') ? 'loopback' : undefined;
}

function invalid(fault: string, cause?: unknown): OutboundError {
  return new OutboundError('invalid_url', `the URL ${fault}`, cause);
}

function blocked(url: URL, fault: string): OutboundError {
  const origin = url.origin.slice(0, 72);
  return new OutboundError(
    'blocked',
    `${url.host.slice(0, 64)} ${fault}; the operator allows it by adding ${origin} to OUTBOUND_ALLOW`,
  );
}
