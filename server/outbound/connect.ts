import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { untilAborted } from '../timing.js';
import { blockReason, canonicalAddress } from './address-rules.js';
import { OutboundError } from './outbound-error.js';
import { type Target, vetUrl } from './vet-url.js';

/** All addresses of a name. Rejects, or resolves to an empty list, if it has none; may stop early when aborted. */
export type LookupFn = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

const queryTimeoutMs = 2_000;
/** How long an answer for IPv4 waits for that for IPv6. */
const secondFamilyGraceMs = 50;

/**
 * Looks up names that come from others, by DNS directly. With getaddrinfo, a nameserver that never answers would hold
 * one of the four threads that it shares with file access and cryptography, and search domains would turn a short
 * name into one of our own network.
 * @param servers in place of the system's, as `address:port`
 */
export function createPublicLookup(servers?: readonly string[]): LookupFn {
  return async (hostname, signal) => {
    // One per lookup, so that it can be cancelled alone and uses the nameservers that the machine has now.
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await bothFamilies(resolver, hostname);
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  };
}

async function bothFamilies(resolver: Resolver, hostname: string): Promise<string[]> {
  const failures: unknown[] = [];
  const settle = (answer: Promise<string[]>) =>
    answer.catch((cause: unknown): string[] => {
      failures.push(cause);
      return [];
    });
  const ipv4 = settle(resolver.resolve4(hostname));
  const ipv6 = settle(resolver.resolve6(hostname));
  const first = await ipv4;
  if (first.length === 0) {
    const only = await ipv6;
    if (only.length === 0) throw failures[0];
    return only;
  }
  // Some nameservers never answer for IPv6. RFC 8305 section 3 has the same wait with the families swapped.
  const late = delay(secondFamilyGraceMs, [] as string[], { ref: false });
  return [...first, ...(await Promise.race([ipv6, late]))];
}

/** Looks up names that the operator listed, as every other program on the machine does. */
export const systemLookup: LookupFn = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** How many addresses of one name are tried before giving up. */
const maxAddresses = 8;
/** How long one address may take before the next is tried; the latency to Lagos or Manila is under half of that. */
const attemptTimeoutMs = 600;
/** For a name, a connection and TLS together; an attempt may outlive the call that it was made for. */
const connectTimeoutMs = 5_000;

export interface ConnectDeps {
  lookup: LookupFn;
  /** For hosts that the operator listed; `lookup` if there is no other. */
  listedLookup?: LookupFn;
  /** Certificate authorities in place of the system's. */
  ca?: string | undefined;
  /** Why an address is refused; `blockReason` except in tests. */
  refuse?: (address: string) => string | undefined;
}

/**
 * Opens each connection of undici's agent to an address that was vetted for its origin. A connection serves that origin
 * for its whole life, so that none that is kept leads elsewhere.
 */
export function vettingConnector(
  listed: ReadonlySet<string>,
  deps: ConnectDeps,
  closing: AbortSignal,
): buildConnector.connector {
  const connect = async (origin: string) => {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(connectTimeoutMs)]);
    return connectVetted(vetUrl(origin, listed), deps, signal);
  };
  return ({ protocol, host }, callback) => {
    connect(`${protocol}//${host}`).then(
      (socket) => callback(null, socket),
      (error) =>
        callback(
          error instanceof OutboundError
            ? error
            : new OutboundError('unreachable', 'no connection in time', error),
          null,
        ),
    );
  };
}

type Where = Pick<Target, 'hostname' | 'port' | 'secure' | 'literal' | 'listed'>;

/**
 * A connected socket (TLS established if `secure`) to an address that was vetted. The name is looked up once; the
 * socket is pinned to that answer and its peer compared with it before anything is written, ClientHello included.
 * @throws OutboundError `blocked` or `unreachable`, or the signal's reason; no socket is left behind
 */
export async function connectVetted(where: Where, deps: ConnectDeps, signal: AbortSignal): Promise<Socket> {
  const addresses = await resolveVetted(where, deps, signal);
  signal.throwIfAborted();
  const raw = connectTcp({
    host: where.hostname,
    port: where.port,
    lookup: pinnedTo(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    noDelay: true,
  });
  await established(raw, 'connect', signal);
  if (!isVettedPeer(raw.remoteAddress, addresses)) {
    raw.destroy();
    throw new OutboundError('blocked', 'the connection led to an address that was not vetted');
  }
  if (!where.secure) return raw;
  const secured = connectTls({
    socket: raw,
    host: where.hostname,
    // RFC 6066 section 3: no literal addresses in SNI; the certificate is then checked against the address.
    ...(where.literal ? {} : { servername: where.hostname }),
    ca: deps.ca,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
  });
  await established(secured, 'secureConnect', signal);
  return secured;
}

/** All addresses of the host. One refused address refuses the host, because an honest name has none. */
async function resolveVetted(where: Where, deps: ConnectDeps, signal: AbortSignal): Promise<string[]> {
  const lookup = where.listed ? (deps.listedLookup ?? deps.lookup) : deps.lookup;
  const found = where.literal ? [where.hostname] : await lookUp(where.hostname, lookup, signal);
  for (const address of found) {
    if (isIP(address) === 0)
      throw new OutboundError('unreachable', 'the lookup returned something that is not an address');
    const reason = where.listed ? undefined : (deps.refuse ?? blockReason)(address);
    if (reason !== undefined) {
      throw new OutboundError(
        'blocked',
        `${where.hostname.slice(0, 64)} leads to ${address}, which is ${reason}`,
      );
    }
  }
  if (found.length === 0)
    throw new OutboundError('unreachable', `${where.hostname.slice(0, 64)} has no address`);
  return found.slice(0, maxAddresses);
}

async function lookUp(hostname: string, lookup: LookupFn, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await untilAborted(signal, () => lookup(hostname, signal));
  } catch (cause) {
    signal.throwIfAborted();
    throw new OutboundError('unreachable', `${hostname.slice(0, 64)} could not be looked up`, cause);
  }
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? '', first?.family ?? 0);
  };
}

/** Whether a socket's peer is one of the addresses that were vetted. */
export function isVettedPeer(remoteAddress: string | undefined, vetted: readonly string[]): boolean {
  const peer = canonicalAddress(remoteAddress);
  return peer !== undefined && vetted.some((address) => canonicalAddress(address) === peer);
}

/** Waits for a socket's event; if it fails or the signal comes first, destroys the socket. */
async function established(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  // Stays attached: an error while no owner listens to the socket must not end the process.
  socket.on('error', () => {});
  try {
    await once(socket, event, { signal });
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    const missing = event === 'connect' ? 'no connection' : 'no TLS session';
    throw new OutboundError('unreachable', missing, cause);
  }
}
