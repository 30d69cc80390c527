import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { clientKey, isTrustedAddress, type TrustedRange } from '../http/client-key.js';
import type { CountedKey } from '../limits/rate-limiter.js';

const maxForwarded = 20_000;
/** A longer header is parsed each time, so that the cached ones do not take much memory. */
const maxLength = 200;

/** A client, with its counters of the rate limit. */
export interface Client {
  key: string;
  /** Indexed by the `place` of the route. */
  counted: (CountedKey | undefined)[];
}

interface Peer {
  /** The client of requests that name no other one. */
  client: Client;
  trusted: boolean;
}

/** Finds the client of a request: cached by connection and, for requests of trusted proxies, by the text of the header. */
export function createClients(trusted: readonly TrustedRange[]) {
  const peers = new WeakMap<Socket, Peer>();
  const forwarded = new LRUCache<string, Client>({ max: maxForwarded });

  function peerOf(socket: Socket): Peer {
    let peer = peers.get(socket);
    if (peer === undefined) {
      const { remoteAddress } = socket;
      peer = {
        client: { key: clientKey(remoteAddress, undefined, trusted), counted: [] },
        trusted: isTrustedAddress(remoteAddress, trusted),
      };
      peers.set(socket, peer);
    }
    return peer;
  }

  return (socket: Socket, forwardedFor: string | undefined): Client => {
    const peer = peerOf(socket);
    if (forwardedFor === undefined || !peer.trusted) return peer.client;
    // The same header may come from several proxies; if it names no client, the key is that of the proxy.
    const text = `${peer.client.key} ${forwardedFor}`;
    // `peek` does not mark the entry as used: that would cost more than making an evicted client again.
    let client = forwarded.peek(text);
    if (client === undefined) {
      client = { key: clientKey(socket.remoteAddress, forwardedFor, trusted), counted: [] };
      if (text.length <= maxLength) forwarded.set(text, client);
    }
    return client;
  };
}
