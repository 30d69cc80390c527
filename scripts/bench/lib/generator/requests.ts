import { addressIn } from '../../../lib/addresses.js';

/** Who sends the requests of a load, each named by `X-Forwarded-For`. */
export type Clients =
  /**
   * `count` addresses. Each is used once before any is used again, and the order changes each time, so that none comes more
   * often than the others and exceeds its limit. Every load uses the same addresses, unless it begins at another one:
   * `first` counts from 0. `visits`: how often each comes before the measurement begins; once where absent.
   */
  | { kind: 'returning'; count: number; first?: number; visits?: number }
  /** Every request comes from an address that was never used before. */
  | { kind: 'new' }
  | { kind: 'one'; address: string };

export interface RequestShape {
  method?: 'GET' | 'POST';
  /** Includes the query. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Requests as they are written to a connection. */
export interface RequestSource {
  next(): string;
  /** Whether each of the clients has been there as often as it has to. */
  allSeen(): boolean;
}

const newNetwork = 10;
const returningNetwork = 11;
let usedAddresses = 0;

/** The same request, repeated by different clients. */
export function requestsOf(shape: RequestShape, host: string, clients: Clients): RequestSource {
  const [before, after] = around(shape, host);
  if (clients.kind === 'new') {
    return {
      next() {
        usedAddresses += 1;
        return before + addressIn(newNetwork, usedAddresses) + after;
      },
      allSeen: () => true,
    };
  }
  const addresses = clients.kind === 'one' ? [clients.address] : returningAddresses(clients);
  const visits = (clients.kind === 'returning' ? clients.visits : undefined) ?? 1;
  let used = 0;
  return {
    next() {
      const place = used % addresses.length;
      if (place === 0) shuffle(addresses);
      used += 1;
      return before + addresses[place] + after;
    },
    allSeen: () => used >= visits * addresses.length,
  };
}

function returningAddresses({ count, first = 0 }: { count: number; first?: number }): string[] {
  return Array.from({ length: count }, (_, number) => addressIn(returningNetwork, first + number));
}

/** In place and without sorting: what the generator spends, the server lacks. */
function shuffle(items: unknown[]): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
}

/** The bytes of a request before and after the address of its client. */
export function around({ method = 'GET', path, headers = {}, body }: RequestShape, host: string) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}\r\n`);
  const before = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}x-forwarded-for: `;
  return [before, `\r\n\r\n${body ?? ''}`] as const;
}
