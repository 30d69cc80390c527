import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Network, Place } from './network.js';
import { passOneWay } from './one-way.js';

/** The one address by which the other members and the services know a member. */
export interface MemberProxy {
  port: number;
  /** Closes the connections that come from services. Returns their number. */
  cutServices(): number;
  /**
   * Cuts the next connection on which a service commits a transaction, as the commit passes: the member does not see it,
   * or sees it while the service does not see the answer. False where none was committed before the signal.
   */
  cutAtCommit(when: 'before' | 'after', signal: AbortSignal): Promise<boolean>;
  stop(): Promise<void>;
}

export interface MemberProxyOptions {
  /** The member behind it. */
  member: Place;
  memberPort: number;
  network: Network;
  /** Who opened the connection that comes from this port. */
  placeOf(remotePort: number, proxyPort: number): Place;
}

interface Link {
  from: Place;
  client: Socket;
  upstream: Socket;
  /** Whether the member's next answer is dropped, and the connection closed. */
  losesAnswer: boolean;
}

export async function startMemberProxy(options: MemberProxyOptions): Promise<MemberProxy> {
  const { member, memberPort, network, placeOf } = options;
  const links = new Set<Link>();
  const reviews = new Set<() => void>();
  let awaited: { when: 'before' | 'after'; done: () => void } | undefined;

  function end({ client, upstream }: Link): void {
    client.resetAndDestroy();
    upstream.resetAndDestroy();
  }

  function look(link: Link, chunk: Buffer): void {
    if (awaited === undefined || link.from !== 'services' || !chunk.includes('commitTransaction')) return;
    const { when, done } = awaited;
    awaited = undefined;
    if (when === 'before') end(link);
    else link.losesAnswer = true;
    done();
  }

  const server = createServer((client) => {
    const from = placeOf(client.remotePort ?? 0, port);
    const upstream = connect({ port: memberPort, host: '127.0.0.1' });
    const link: Link = { from, client, upstream, losesAnswer: false };
    const there = passOneWay(
      client,
      upstream,
      () => network.passage(from, member),
      (chunk) => look(link, chunk),
    );
    const back = passOneWay(
      upstream,
      client,
      () => network.passage(member, from),
      () => {
        if (link.losesAnswer) end(link);
      },
    );
    const review = () => {
      there.review();
      back.review();
    };
    links.add(link);
    reviews.add(review);
    let open = 2;
    for (const socket of [client, upstream]) {
      socket.once('close', () => {
        open -= 1;
        if (open > 0) return;
        links.delete(link);
        reviews.delete(review);
      });
    }
    review();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stopListening = network.onChange(() => {
    for (const review of [...reviews]) review();
  });

  return {
    port,
    cutServices() {
      const chosen = [...links].filter((link) => link.from === 'services');
      for (const link of chosen) end(link);
      return chosen.length;
    },
    cutAtCommit(when, signal) {
      return new Promise((resolve) => {
        const giveUp = () => {
          awaited = undefined;
          resolve(false);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        awaited = {
          when,
          done() {
            signal.removeEventListener('abort', giveUp);
            resolve(true);
          },
        };
      });
    },
    async stop() {
      stopListening();
      for (const link of links) end(link);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
