import { describe, expect, it } from '@jest/globals';
import type { Responder } from '../../../scripts/simulated-anchors/index.js';
import { admin, invalidate } from '../../fixtures/edge/raw-requests.js';
import { observedFleet } from '../../fixtures/observations/observed-fleet.js';
import { waitFor } from '../../support/wait-for.js';

const fleet = await observedFleet(['harbour', 'slowboat', 'ferry', 'galleon', 'lighter']);
const everywhere = '*';
const toml = 'GET /.well-known/stellar.toml';
const asksForAPause: Responder = (_request, response) => void response.writeHead(429).end();

/** A call has two seconds. Some tests make a round again where a busy machine took longer. */
describe('a round', () => {
  it('asks every anchor for what any wallet may ask, without a token', async () => {
    const harbour = fleet.simulated.anchor('harbour');
    harbour.seen.length = 0;
    const { anchors, calls } = await fleet.round();
    expect(anchors).toBe(5);
    expect(calls).toBeLessThanOrEqual(anchors * 10);
    // Meanwhile the snapshot of rates requests prices with the partner's token, and discovery requests stellar.toml.
    const routes = harbour.seen.flatMap(({ route, authorization }) => (authorization === null ? route : []));
    expect(routes.filter((route) => route !== toml).sort()).toEqual([
      'GET /sep24/info',
      'GET /sep38/info',
      ...Array(6).fill('GET /sep38/price'),
      'GET /sep6/info',
    ]);
    expect(routes).toContain(toml);
  });

  it('stores what it observed without conflicts between the anchors, which could make the round fail', async () => {
    const failures: unknown[] = [];
    fleet.app.connection.getClient().on('commandFailed', ({ failure }) => failures.push(failure));
    await fleet.round();
    expect(failures).not.toContainEqual(expect.objectContaining({ codeName: 'WriteConflict' }));
  });

  it('takes a refusal for an answer: a price behind a token is no fault, and no price', async () => {
    await waitFor(async () => {
      await fleet.round();
      const { services, corridors } = await fleet.read('galleon');
      expect(services.find(({ service }) => service === 'sep38')?.latest.outcome).toBe('answered');
      expect(corridors[0]).toMatchObject({ lastQuote: null });
    });
  });

  it('does not let an anchor that hangs delay the others', async () => {
    fleet.simulated.anchor('slowboat').override(everywhere, () => {});
    const others = ['harbour', 'ferry', 'galleon', 'lighter'];
    const now = () => new Date(fleet.world.now).toISOString();
    let round: Promise<unknown> | undefined;
    // Its calls time out after two seconds. A busy machine may not have observed the others by then.
    await waitFor(
      async () => {
        await round;
        round = fleet.round();
        await waitFor(async () => {
          for (const id of others) expect((await fleet.read(id)).lastObservedAt).toBe(now());
        });
        expect((await fleet.read('slowboat')).lastObservedAt).not.toBe(now());
      },
      { timeout: 40_000 },
    );
    await round;
    const { lastObservedAt, services } = await fleet.read('slowboat');
    expect(lastObservedAt).toBe(now());
    expect(services.map(({ latest }) => latest.outcome)).toEqual(Array(4).fill('timeout'));
  });

  it('finds an anchor unreachable that closes every connection', async () => {
    fleet.simulated.anchor('slowboat').override(everywhere, ({ socket }) => void socket.destroy());
    await waitFor(async () => {
      await fleet.round();
      const { services } = await fleet.read('slowboat');
      expect(services.map(({ latest }) => latest.outcome)).toEqual(Array(4).fill('unreachable'));
    });
    fleet.simulated.anchor('slowboat').override(everywhere, null);
  });

  it('counts nothing for or against a service that asks for a pause', async () => {
    await fleet.round();
    const before = await fleet.read('harbour');
    fleet.simulated.anchor('harbour').override(everywhere, asksForAPause);
    await fleet.round();
    fleet.simulated.anchor('harbour').override(everywhere, null);
    const { services, corridors } = await fleet.read('harbour');
    expect([services, corridors]).toEqual([before.services, before.corridors]);
  });

  it('counts nothing for a corridor whose price request gets a 429, while the rest of the anchor answers', async () => {
    const before = await fleet.read('harbour');
    fleet.simulated.anchor('harbour').override('GET /sep38/price', asksForAPause);
    await fleet.round();
    fleet.simulated.anchor('harbour').override('GET /sep38/price', null);
    const after = await fleet.read('harbour');
    expect(after.corridors).toEqual(before.corridors);
    expect(after.services).not.toEqual(before.services);
  });

  it('asks nothing of an anchor that shows another signing key but its stellar.toml, also where that fails now', async () => {
    const usual = (await fleet.round()).calls;
    const anchor = fleet.simulated.anchor('harbour');
    const key = fleet.simulated.anchor('ferry').signingKey;
    const stranger = `SIGNING_KEY = "${key}"\nTRANSFER_SERVER = "${anchor.origin}/sep6"\n`;
    anchor.override(toml, (_request, response) => void response.end(stranger));
    const { client } = fleet.app;
    const [served] = (await fleet.read('harbour')).corridors;
    await client.request('POST', invalidate, { headers: admin, body: { scope: 'all' } });
    await waitFor(
      async () => {
        await client.request('GET', `/api/rates/${served?.corridor}?amount=100`);
        expect((await client.request('GET', '/api/anchors/harbour')).body).toMatchObject({
          status: 'refused',
        });
      },
      // Stays within the limits of one client.
      { timeout: 10_000, interval: 500 },
    );
    const reads = (await fleet.round()).calls;
    anchor.override(toml, (_request, response) => void response.writeHead(500).end());
    const fails = (await fleet.round()).calls;
    anchor.override(toml, null);
    // Its stellar.toml, in place of that, three /info and six prices.
    expect([usual - reads, usual - fails]).toEqual([9, 9]);
  });
});

it('asks every anchor also after a round whose clock was an hour ahead', async () => {
  fleet.world.now += 3_600_000;
  expect((await fleet.post()).body.anchors).toBe(5);
  fleet.world.now -= 3_600_000;
  expect((await fleet.post()).body.anchors).toBe(5);
});

describe('the schedule', () => {
  it('observes on one instance at a time, and each anchor once in the interval, however many instances there are', async () => {
    const env = { SCHEDULER: 'on', OBSERVER: 'on' };
    const { connection } = fleet.app;
    const read = (collection: string, id: string) =>
      connection.collection(collection).findOne({ _id: id as never });
    const token = async () => Number((await read('leases', 'observer'))?.token);
    fleet.world.now += 300_000;
    const rounds = async () => {
      const day = new Date(fleet.world.now).toISOString().slice(0, 10);
      return Number((await read('observation_days', `ferry ${day}`))?.counts.sep1.asked ?? 0);
    };
    const before = await rounds();
    await Promise.all([fleet.startAnother(env), fleet.startAnother(env)]);
    const observed = async () => expect(await rounds()).toBe(before + 1);
    await waitFor(observed);
    // A third instance makes a round at its own time, in which no anchor is asked again.
    const held = await token();
    await fleet.startAnother(env);
    await waitFor(async () => expect(await token()).toBeGreaterThan(held));
    await observed();
  });
});
