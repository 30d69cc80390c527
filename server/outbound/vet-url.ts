import { isIP } from 'node:net';
import { parseUrl } from '../../contract/anchor-documents/values.js';
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

/** The one spelling of an exact origin, or of every port of loopback. @throws Error that names the entry and its fault */
export function parseAllowedOrigin(entry: string): string {
  if (/^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost):\*$/.test(entry)) return entry;
  const wildcard = 'holds a wildcard, which is for the ports of loopback alone';
  const read = entry.includes('*') ? wildcard : readUrl(entry);
  if (typeof read !== 'string' && read.pathname === '/' && !/[?#]/.test(entry)) return read.origin;
  const fault = typeof read === 'string' ? read : 'has something after the host and port';
  throw new Error(`"${entry.slice(0, 64)}" ${fault}; expected an exact origin such as http://127.0.0.1:7301`);
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
  const url = readUrl(text);
  if (typeof url === 'string') throw new OutboundError('invalid_url', `the URL ${url}`);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const literal = isIP(hostname) !== 0;
  const listed = listedOrigins.has(url.origin) || listedOrigins.has(`${url.protocol}//${url.hostname}:*`);
  if (!listed) {
    if (!secure) throw blocked(url, 'is not https');
    if (port !== 443) throw blocked(url, 'is not on port 443');
    const reason = literal ? blockReason(hostname) : nameReason(hostname);
    if (reason !== undefined) throw blocked(url, `is ${reason}`);
  }
  return { origin: url.origin, path: url.pathname + url.search, hostname, port, secure, literal, listed };
}

/** What is wrong with the text, where it is no URL of a plain http(s) host. */
function readUrl(text: string): URL | string {
  if (text.length > maxUrlLength) return `is longer than ${maxUrlLength} characters`;
  // The parser would silently drop tabs and line breaks, and read `https:host` and backslashes as if well-formed.
  if (!/^https?:\/\/[^/]/i.test(text)) return 'does not begin with http:// or https:// and a host';
  if (/[\p{Cc} \\]/u.test(text)) return 'holds a space, control character or backslash';
  const url = parseUrl(text);
  if (url === null) return 'is not a URL';
  // An empty `user@` leaves no trace in the parsed form.
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  if (authority.includes('@')) return 'holds credentials';
  return url.hostname.endsWith('.') ? 'ends its host in a dot' : url;
}

/** RFC 6761 section 6.3: these names are loopback whatever a resolver says. */
function nameReason(hostname: string): string | undefined {
  return hostname === 'localhost' || hostname.endsWith('.localhost') ? 'loopback' : undefined;
}

function blocked(url: URL, fault: string): OutboundError {
  const origin = url.origin.slice(0, 72);
  return new OutboundError(
    'blocked',
    `${url.host.slice(0, 64)} ${fault}; the operator allows it by adding ${origin} to OUTBOUND_ALLOW`,
  );
}
