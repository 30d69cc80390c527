import { describe, expect, it } from '@jest/globals';
import type { Responder } from '../../../scripts/simulated-anchors/index.js';
import { callsPerAnchor } from '../../../server/features/observations/round-plan.rules.js';
import { admin, invalidate } from '../../fixtures/edge/raw-requests.js';
import { observedFleet } from '../../fixtures/observations/observed-fleet.js';
import { waitFor } from '../../support/wait-for.js';

const fleet = observedFleet(['harbour', 'slowboat', 'ferry', 'galleon', 'lighter']);
const everywhere = '*';
const toml = 'GET /.well-known/stellar.toml';

/** Holds every request until it is released, and then closes the connection. */
function hanging(): { responder: Responder; release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { responder: (request) => released.then(() => void request.socket.destroy()), release };
}

describe('a round', () => {
  it('asks every anchor for what any wallet may ask, without a token, within its budget', async () => {
    const harbour = fleet.simulated.anchor('harbour');
    harbour.resetCalls();
    const { anchors, calls } = await fleet.round();
    expect(anchors).toBe(5);
    expect(calls).toBeLessThanOrEqual(anchors * callsPerAnchor);
    // Meanwhile the snapshot of rates requests prices with the partner's token, and discovery requests stellar.toml.
    const routes = harbour.seen.flatMap(({ route, authorization }) => (authorization === null ? route : []));
    expect(routes.filter((route) => route !== toml)).toEqual([
      'GET /sep24/info',
      'GET /sep6/info',
      'GET /sep38/info',
      ...Array(6).fill('GET /sep38/price'),
    ]);
    expect(routes).toContain(toml);
  });

  it('takes a refusal for an answer: a price behind a token is no fault, and no price', async () => {
    const { findings, services, corridors } = await fleet.read('galleon');
    expect(findings).toEqual([]);
    expect(services.find(({ service }) => service === 'sep38')?.latest.outcome).toBe('answered');
    expect(corridors[0]).toMatchObject({ lastQuote: null });
  });

  it('does not let an anchor that hangs delay the others', async () => {
    const { responder, release } = hanging();
    fleet.simulated.anchor('slowboat').override(everywhere, responder);
    const round = fleet.round();
    const at = new Date(fleet.world.now).toISOString();
    const others = ['harbour', 'ferry', 'galleon', 'lighter'];
    await waitFor(async () => {
      for (const id of others) expect((await fleet.read(id)).lastObservedAt).toBe(at);
    });
    expect((await fleet.read('slowboat')).lastObservedAt).not.toBe(at);
    release();
    await round;
    fleet.simulated.anchor('slowboat').override(everywhere, null);
    const { services, lastObservedAt } = await fleet.read('slowboat');
    expect(lastObservedAt).toBe(at);
    expect(services.map(({ latest }) => latest.outcome)).toEqual(Array(4).fill('unreachable'));
  });

  it('asks a service that does not answer no more in the same round', async () => {
    const usual = (await fleet.round()).calls;
    const anchor = fleet.simulated.anchor('slowboat');
    const before = (await fleet.read('slowboat')).corridors.map(({ observations }) => observations);
    anchor.override('GET /sep38/price', (request) => void request.socket.destroy());
    const { calls } = await fleet.round();
    anchor.override('GET /sep38/price', null);
    expect(usual - calls).toBe(5);
    const { corridors } = await fleet.read('slowboat');
    expect(corridors.map(({ observations }) => observations)).toEqual(before.map((count) => count + 1));
  });

  it('leaves a service alone that asks for a pause, and counts nothing against it', async () => {
    const usual = (await fleet.round()).calls;
    const anchor = fleet.simulated.anchor('harbour');
    const before = await fleet.read('harbour');
    anchor.override(everywhere, (_request, response) => void response.writeHead(429).end());
    const { calls } = await fleet.round();
    anchor.override(everywhere, null);
    expect(usual - calls).toBe(6);
    const { services, corridors, findings } = await fleet.read('harbour');
    expect([services, corridors, findings]).toEqual([before.services, before.corridors, []]);
  });

  it('asks nothing else of an anchor whose signing key is another', async () => {
    const usual = (await fleet.round()).calls;
    const anchor = fleet.simulated.anchor('ferry');
    const key = fleet.simulated.anchor('harbour').signingKey;
    anchor.override(toml, (_request, response) => void response.end(`SIGNING_KEY = "${key}"\n`));
    const { calls } = await fleet.round();
    anchor.override(toml, null);
    expect(usual - calls).toBe(1);
    expect((await fleet.read('ferry')).findings).toMatchObject([{ code: 'key_changed', service: 'sep1' }]);
    await fleet.round();
    expect((await fleet.read('ferry')).findings).toEqual([]);
  });

  it('asks nothing at addresses that were read with another key, also where its stellar.toml fails now', async () => {
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
    expect(reads).toBeLessThan(usual);
    expect(fails).toBe(reads);
  });
});

it('asks every anchor also after a round whose clock was an hour ahead', async () => {
  fleet.world.now += 3_600_000;
  const { anchors } = (await fleet.post()).body;
  fleet.world.now -= 3_600_000;
  expect((await fleet.post()).body).toMatchObject({ anchors });
  expect(anchors).toBeGreaterThan(0);
});

describe('the schedule', () => {
  it('observes on one instance at a time, and each anchor once in the interval, however many instances there are', async () => {
    const env = { SCHEDULER: 'on', OBSERVER: 'on', OBSERVER_INTERVAL_SECONDS: '300' };
    const { connection } = fleet.app;
    const read = (collection: string, id: string) =>
      connection.collection(collection).findOne({ _id: id as never });
    const token = async () => Number((await read('leases', 'observer'))?.token);
    fleet.world.now += 300_000;
    const rounds = Number((await read('observed_anchors', 'ferry'))?.rounds);
    await Promise.all([fleet.startAnother(env), fleet.startAnother(env)]);
    const observed = async () => expect((await read('observed_anchors', 'ferry'))?.rounds).toBe(rounds + 1);
    await waitFor(observed);
    // A third instance makes a round at its own time, in which no anchor is asked again.
    const before = await token();
    await fleet.startAnother(env);
    await waitFor(async () => expect(await token()).toBeGreaterThan(before));
    await observed();
  });

  it('ends with its instance although an anchor hangs, and leaves that anchor to the next round', async () => {
    const { responder, release } = hanging();
    fleet.simulated.anchor('slowboat').override(everywhere, responder);
    fleet.world.now += 300_000;
    const at = new Date(fleet.world.now);
    const observedAt = async (id: string) => {
      const found = await fleet.app.connection.collection('observed_anchors').findOne({ _id: id as never });
      return found?.observedAt;
    };
    const another = await fleet.startAnother({ SCHEDULER: 'on', OBSERVER: 'on' });
    await waitFor(async () => expect(await observedAt('ferry')).toEqual(at));
    // The instance stops before any request is released.
    await another.stop();
    expect(await observedAt('slowboat')).not.toEqual(at);
    release();
    fleet.simulated.anchor('slowboat').override(everywhere, null);
    await waitFor(async () => expect((await fleet.post()).status).toBe(200));
    expect(await observedAt('slowboat')).toEqual(at);
  });
});
