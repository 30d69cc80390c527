import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { clientKey, isTrustedAddress, type TrustedRange } from '../http/client-key.js';

const maxForwarded = 20_000;

interface Peer {
  /** The key of requests that name nobody else. */
  key: string;
  trusted: boolean;
}

/** `clientKey` of requests, remembered by connection, and for what trusted proxies forward by the text of the header. */
export function createClientKeys(trusted: readonly TrustedRange[]) {
  const peers = new WeakMap<Socket, Peer>();
  const forwarded = new LRUCache<string, string>({ max: maxForwarded });

  function peerOf(socket: Socket): Peer {
    let peer = peers.get(socket);
    if (peer === undefined) {
      const { remoteAddress } = socket;
      peer = {
        key: clientKey(remoteAddress, undefined, trusted),
        trusted: isTrustedAddress(remoteAddress, trusted),
      };
      peers.set(socket, peer);
    }
    return peer;
  }

  return (socket: Socket, forwardedFor: string | undefined): string => {
    const peer = peerOf(socket);
    if (forwardedFor === undefined || !peer.trusted) return peer.key;
    // The same header may come from several proxies; where it names nobody, the key is that of the proxy.
    const text = `${peer.key} ${forwardedFor}`;
    let key = forwarded.get(text);
    if (key === undefined) {
      key = clientKey(socket.remoteAddress, forwardedFor, trusted);
      forwarded.set(text, key);
    }
    return key;
  };
}
