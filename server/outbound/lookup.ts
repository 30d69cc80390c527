import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** All addresses of a name. Rejects or resolves to nothing if there are none; may stop early when aborted. */
export type LookupFn = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** How long an answer for IPv4 waits for that for IPv6. RFC 8305 section 3 has 50 ms for the reverse. */
const secondFamilyGraceMs = 50;

/**
 * Names that come from others, asked of DNS directly: a nameserver that never answers would hold one of the four
 * threads that getaddrinfo shares with file access and cryptography, and search domains would turn a short name
 * into one of our own network.
 */
export const publicLookup: LookupFn = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let failure: unknown;
  const settle = (answer: Promise<string[]>) =>
    answer.catch((cause: unknown): string[] => {
      failure ??= cause;
      return [];
    });
  const ipv4 = settle(resolver.resolve4(hostname));
  const ipv6 = settle(resolver.resolve6(hostname));
  try {
    const first = await ipv4;
    const late = delay(secondFamilyGraceMs, [] as string[], { ref: false });
    const second = await (first.length > 0 ? Promise.race([ipv6, late]) : ipv6);
    if (first.length + second.length === 0) throw failure;
    return [...first, ...second];
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
};

/** Names that the operator listed, found as every other program on the machine finds them. */
export const systemLookup: LookupFn = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
