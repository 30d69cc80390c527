import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';

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
