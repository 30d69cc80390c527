import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type MemberProxy, startMemberProxy } from '../../scripts/faults/cluster/member-proxy.js';
import { createNetwork, type Network } from '../../scripts/faults/cluster/network.js';
import { waitFor } from '../support/wait-for.js';

let network: Network;
let proxy: MemberProxy;
let member: Server;
let client: Socket;
/** What each side has received. */
let atMember: string;
let atClient: string;

beforeEach(async () => {
  network = createNetwork();
  atMember = '';
  atClient = '';
  member = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      atMember += String(chunk);
      socket.write(`re:${chunk}`);
    });
  });
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
  const { port: memberPort } = member.address() as AddressInfo;
  proxy = await startMemberProxy({ member: 0, memberPort, network, placeOf: () => 'services' });
  client = connect(proxy.port, '127.0.0.1');
  client.on('error', () => undefined);
  client.on('data', (chunk: Buffer) => {
    atClient += String(chunk);
  });
});
afterEach(async () => {
  client.destroy();
  await proxy.stop();
  await new Promise((resolve) => member.close(resolve));
});

/** Long enough for what is not held to arrive. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

describe('the network of the storm', () => {
  it('passes what both sides say', async () => {
    client.write('one');
    await waitFor(() => expect([atMember, atClient]).toEqual(['one', 're:one']));
  });

  it('holds what a member that is cut off is sent until it is whole', async () => {
    network.disturb(0, 'both', { held: true });
    client.write('one');
    await settled();
    expect(atMember).toBe('');
    network.heal();
    await waitFor(() => expect([atMember, atClient]).toEqual(['one', 're:one']));
  });

  it('holds one direction alone', async () => {
    network.disturb(0, 'sends', { held: true });
    client.write('one');
    await waitFor(() => expect(atMember).toBe('one'));
    await settled();
    expect(atClient).toBe('');
    network.heal();
    await waitFor(() => expect(atClient).toBe('re:one'));
  });

  it('can be broken towards some places alone', async () => {
    network.disturb(0, 'both', { held: true }, [1, 2]);
    client.write('one');
    await waitFor(() => expect(atClient).toBe('re:one'));
    expect(network.passage(0, 1).held).toBe(true);
    expect(network.passage(2, 0).held).toBe(true);
  });

  it('delays what passes and keeps its order', async () => {
    network.disturb(0, 'receives', { delayMs: 30 });
    client.write('one');
    client.write('two');
    expect(atMember).toBe('');
    await waitFor(() => expect(atMember).toBe('onetwo'));
  });

  it('resets the connection of a commit that the member has not seen', async () => {
    const cut = proxy.cutAtCommit('before', AbortSignal.timeout(5_000));
    client.write('commitTransaction');
    expect(await cut).toBe(true);
    await waitFor(() => expect(client.destroyed).toBe(true));
    expect([atMember, atClient]).toEqual(['', '']);
  });

  it('resets the connection of a commit that the member has seen, before its answer', async () => {
    const cut = proxy.cutAtCommit('after', AbortSignal.timeout(5_000));
    client.write('commitTransaction');
    expect(await cut).toBe(true);
    await waitFor(() => expect(client.destroyed).toBe(true));
    expect([atMember, atClient]).toEqual(['commitTransaction', '']);
  });

  it('resolves to false where nothing was committed', async () => {
    expect(await proxy.cutAtCommit('after', AbortSignal.timeout(10))).toBe(false);
  });
});
