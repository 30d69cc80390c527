import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { clientKey, isTrustedAddress, type TrustedRange } from '../http/client-key.js';
import type { CountedKey } from '../limits/rate-limiter.js';

const maxForwarded = 20_000;
/** A longer header is read each time: all of them together must not take much memory. */
const maxLength = 200;

/** Who asks, with what is counted for it. */
export interface Client {
  key: string;
  /** By the place of the route. */
  counted: (CountedKey | undefined)[];
}

interface Peer {
  /** That of requests which name nobody else. */
  client: Client;
  trusted: boolean;
}

/** The clients of requests, remembered by connection, and for what trusted proxies forward by the text of the header. */
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
    // The same header may come from several proxies; where it names nobody, the key is that of the proxy.
    const text = `${peer.client.key} ${forwardedFor}`;
    // Not noted as used, which costs more than making a client again that gave way.
    let client = forwarded.peek(text);
    if (client === undefined) {
      client = { key: clientKey(socket.remoteAddress, forwardedFor, trusted), counted: [] };
      if (text.length <= maxLength) forwarded.set(text, client);
    }
    return client;
  };
}
