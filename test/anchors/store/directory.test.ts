import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { anchorAnswer } from '../../../contract/schemas/anchors.js';
import { createSigningKeys } from '../../../server/features/anchors/signing-keys.js';
import { createAnchorStore } from '../../../server/features/anchors/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import type { Logger } from '../../../server/ports.js';
import { answerText, startHostileAnchor } from '../../fixtures/rates/hostile-anchor.js';
import { type RatesService, startRatesService } from '../../fixtures/rates/rates-service.js';
import { outboxOf } from '../../fixtures/webhooks/emit.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const firstKey = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const otherKey = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const tomlPath = '/.well-known/stellar.toml';
const running: RatesService[] = [];
/** What was logged as a warning and as an error. */
const lines: { level: 'warn' | 'error'; message: string; [field: string]: unknown }[] = [];
const logger: Logger = {
  ...silentLogger,
  warn: (fields, message) => void lines.push({ level: 'warn', message, ...fields }),
  error: (fields, message) => void lines.push({ level: 'error', message, ...fields }),
};

const connection = await connectMongo({ uri: database.uri });
const server = await startHostileAnchor();
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
  lines.splice(0);
});
afterAll(async () => {
  await server.stop();
  await connection.close();
});

const anchor = (id: string, patch: object = {}) => ({
  id,
  name: id.toUpperCase(),
  homeDomain: server.origin,
  corridors: [{ id: 'usdc-ngn', deliveryMethods: ['bank_account'] }],
  ...patch,
});

async function start(anchors: object[], env: Record<string, string> = {}) {
  const fleet = { corridors: [corridorOf('NGN'), corridorOf('KES')], anchors };
  const allow = [server.origin];
  const service = await startRatesService({ uri: database.uri, fleet, allow, env, logger });
  running.push(service);
  return service;
}

/** Has a stellar.toml with these lines served from now on. */
function serve(...members: string[]) {
  server.routes[tomlPath] = answerText(members.join('\n'));
}
async function readAgain({ cacheEpoch, directory }: RatesService) {
  await cacheEpoch.empty();
  await directory.discoverDue();
  await directory.stop();
}

const idsOf = ({ directory }: RatesService) => directory.anchorsOf('usdc-ngn').map(({ id }) => id);

function onboarded(anchorId: string) {
  return outboxOf(connection).find({ event: 'anchor.onboarded', 'data.anchorId': anchorId }).toArray();
}

describe('a fleet file that is synchronised to the database', () => {
  it('announces each new anchor once, however often and on however many instances it starts', async () => {
    const anchors = [anchor('new-a', { simulated: true }), anchor('new-b')];
    await Promise.all([start(anchors), start(anchors), start(anchors)]);
    await start(anchors);
    const events = await onboarded('new-a');
    expect(events.map(({ data, open }) => ({ data, open }))).toEqual([
      { data: { anchorId: 'new-a', name: 'NEW-A', corridors: ['usdc-ngn'], simulated: true }, open: true },
    ]);
    expect(await onboarded('new-b')).toHaveLength(1);
  });

  it('keeps a removed anchor readable as delisted, and restores it without announcing it again', async () => {
    await start([anchor('leaver'), anchor('stayer')]);
    const without = await start([anchor('stayer')]);
    const delisted = { status: 'delisted', corridors: [], start: [] };
    expect(await without.directory.getAnchor('leaver')).toMatchObject(delisted);
    expect(idsOf(without)).toEqual(['stayer']);
    const serving = await without.directory.listAnchors({ corridor: 'usdc-ngn' });
    expect(serving.items.map(({ id }) => id)).toEqual(['stayer']);
    const again = await start([anchor('leaver'), anchor('stayer')]);
    expect(await again.directory.getAnchor('leaver')).toMatchObject({ status: 'active', delistedAt: null });
    expect(await onboarded('leaver')).toHaveLength(1);
  });
});

describe('discovery', () => {
  it('reads the addresses of the stellar.toml and how a wallet starts there', async () => {
    serve(keyLine(firstKey), `TRANSFER_SERVER_SEP0024 = "${server.origin}/sep24"`);
    const { directory } = await start([anchor('found')]);
    expect((await directory.getAnchor('found')).discovery.state).toBe('pending');
    await directory.endpointsOf('found');
    await directory.stop();
    const answer = await directory.getAnchor('found');
    expect(anchorAnswer.omit({ contradictedPayments: true }).parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({
      signingKey: firstKey,
      discovery: { state: 'fresh', reason: null },
      start: [{ url: `${server.origin}/sep24/transactions/withdraw/interactive` }],
    });
    expect(await directory.signingKeyOf('found')).toBe(firstKey);
  });

  it('takes no key that an instance with the earlier fleet file still reads of the old home domain', async () => {
    serve(keyLine(otherKey), sep6Line());
    const behind = await start([anchor('mover')]);
    const moved = anchor('mover', { homeDomain: 'elsewhere.example' });
    await start([moved]);
    await behind.directory.endpointsOf('mover');
    await behind.directory.stop();
    const { directory } = await start([moved]);
    const state = { signingKey: null, discovery: { state: 'pending' } };
    expect(await directory.getAnchor('mover')).toMatchObject(state);
  });

  it('prefers the addresses of the fleet file to those of the stellar.toml', async () => {
    serve(keyLine(otherKey), `ANCHOR_QUOTE_SERVER = "${server.origin}/toml"`, sep6Line());
    const given = { quoteServer: `${server.origin}/file`, signingKey: firstKey };
    const { directory } = await start([anchor('overridden', { endpoints: given })]);
    const read = { ...given, transferServerSep6: `${server.origin}/sep6` };
    expect(await directory.endpointsOf('overridden')).toMatchObject(read);
    await directory.stop();
    expect(directory.anchor('overridden')).toBeDefined();
  });

  it('has nothing to read where the fleet file has all addresses', async () => {
    const given = { homeDomain: undefined, endpoints: { quoteServer: `${server.origin}/file` } };
    const { directory } = await start([anchor('given', given)]);
    await directory.discoverDue();
    const { discovery, endpoints } = await directory.getAnchor('given');
    expect(discovery).toEqual({ state: 'configured', fetchedAt: null, reason: null });
    expect(endpoints.quoteServer).toBe(`${server.origin}/file`);
  });

  it('keeps what it has read for a day while it cannot be read again, and says so', async () => {
    serve(sep6Line());
    const { directory, world } = await start([anchor('kept')]);
    await directory.endpointsOf('kept');
    server.routes[tomlPath] = answerText('', 500);
    const stateAt = async (ms: number) => {
      world.now += ms;
      await directory.discoverDue();
      return (await directory.getAnchor('kept')).discovery.state;
    };
    const minuteMs = 60_000;
    expect(await stateAt(9 * minuteMs)).toBe('fresh');
    expect(await stateAt(2 * minuteMs)).toBe('stale');
    expect(await stateAt(1_440 * minuteMs)).toBe('failed');
  });

  const until = (ms: number) => new Date(Date.now() + ms).toUTCString();
  it.each([
    ['503', 503, undefined, 'error', 1_900, 2_100],
    ['429 until a date', 429, () => until(50_000), 'busy', 45_000, 52_000],
  ] as const)('is tried again only after a pause: %s', async (_name, status, after, reason, early, late) => {
    const { directory, world } = await start([anchor('away')]);
    const began = world.now;
    const headers = after === undefined ? {} : { 'retry-after': after() };
    server.routes[tomlPath] = (_req, res) => res.writeHead(status, headers).end();
    await expect(directory.endpointsOf('away')).rejects.toMatchObject({ reason });
    expect((await directory.getAnchor('away')).discovery).toMatchObject({ state: 'failed', reason });
    serve('');
    const asked = server.seen.length;
    world.now = began + early;
    await expect(directory.endpointsOf('away')).rejects.toMatchObject({ reason });
    expect(server.seen.length).toBe(asked);
    world.now = began + late;
    await directory.endpointsOf('away');
    expect(server.seen.length).toBe(asked + 1);
  });

  it.each([
    [`X = 1\nSIGNING_KEY = ${firstKey}`, 'line 2 is not TOML'],
    ['<!doctype html>', 'line 1 is not TOML'],
  ])('names the line at which a stellar.toml cannot be read: %j', async (toml, fault) => {
    serve(toml);
    const { directory, world } = await start([anchor('odd')]);
    await expect(directory.endpointsOf('odd')).rejects.toMatchObject({ reason: 'malformed' });
    const told = { document: 'stellar.toml', what: `stellar.toml: ${fault}` };
    expect(lines).toContainEqual(expect.objectContaining({ anchorId: 'odd', ...told }));
    const at = new Date(world.now).toISOString();
    expect((await directory.getAnchor('odd')).unreadable).toEqual([{ ...told, at }]);
  });

  it('names the members that it cannot use of a stellar.toml, and uses the others', async () => {
    serve(keyLine('G123'), 'WEB_AUTH_ENDPOINT = "ftp://a.example"', sep6Line());
    const { directory } = await start([anchor('half')]);
    const read = { transferServerSep6: `${server.origin}/sep6` };
    expect(await directory.endpointsOf('half')).toMatchObject(read);
    const what = 'WEB_AUTH_ENDPOINT, SIGNING_KEY cannot be used';
    expect((await directory.getAnchor('half')).unreadable).toMatchObject([{ what }]);
  });
});

describe('the signing key of an anchor', () => {
  it('never changes: an anchor with another key is refused until it shows the first one again', async () => {
    const anchors = [anchor('turncoat'), anchor('loyal', { endpoints: { signingKey: firstKey } })];
    serve(keyLine(firstKey), sep6Line());
    const first = await start(anchors);
    await first.directory.endpointsOf('turncoat');
    await first.directory.stop();

    serve(keyLine(otherKey), sep6Line());
    const second = await start(anchors);
    await second.cacheEpoch.empty();
    await expect(second.directory.endpointsOf('turncoat')).rejects.toMatchObject({ reason: 'not_served' });
    await second.directory.stop();
    expect(second.directory.anchor('turncoat')).toBeUndefined();
    expect(idsOf(second)).toEqual(['loyal']);
    const refused = { status: 'refused', signingKey: firstKey, start: [] };
    expect(await second.directory.getAnchor('turncoat')).toMatchObject(refused);
    expect(await second.directory.signingKeyOf('turncoat')).toBe(firstKey);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);

    const third = await start([anchor('turncoat')]);
    expect(idsOf(third)).toEqual([]);
    serve(keyLine(firstKey), sep6Line());
    await readAgain(third);
    expect(idsOf(third)).toEqual(['turncoat']);
  });

  it('is told as accepted once any instance has read it, whichever instance had refused another one', async () => {
    serve(keyLine(firstKey));
    const one = await start([anchor('returned')]);
    const other = await start([anchor('returned')]);
    await readAgain(one);
    await readAgain(other);
    serve(keyLine(otherKey));
    await readAgain(one);
    expect(await other.directory.getAnchor('returned')).toMatchObject({ status: 'refused' });
    serve(keyLine(firstKey));
    await readAgain(other);
    expect(await other.directory.getAnchor('returned')).toMatchObject({ status: 'active' });
  });

  it('is refused at start if the fleet file names another one', async () => {
    await start([anchor('swapped', { endpoints: { signingKey: firstKey } })]);
    const { directory } = await start([anchor('swapped', { endpoints: { signingKey: otherKey } })]);
    expect(directory.anchor('swapped')).toBeUndefined();
    expect(await directory.getAnchor('swapped')).toMatchObject({ status: 'refused', signingKey: firstKey });
  });

  it('is stored with the next reading, where the database was away', async () => {
    await start([anchor('away-key')]);
    const store = createAnchorStore(connection);
    let isAway = true;
    const adoptSigningKey: typeof store.adoptSigningKey = async (...given) => {
      if (isAway) throw new Error('the database is away');
      return store.adoptSigningKey(...given);
    };
    const homeDomainOf = () => server.origin;
    const keys = createSigningKeys({ store: { ...store, adoptSigningKey }, homeDomainOf, logger });
    await keys.judge('away-key', firstKey).catch(() => undefined);
    await keys.judge('away-key', otherKey).catch(() => undefined);
    expect([keys.keyOf('away-key'), keys.isRefused('away-key')]).toEqual([firstKey, true]);
    isAway = false;
    await keys.judge('away-key', otherKey);
    expect(await store.find('away-key')).toMatchObject({ signingKey: firstKey, refusedKey: otherKey });
  });
});

describe('a partner token', () => {
  const origin = 'https://api.harbour.example';
  const granted = () => anchor('granted', { partnerToken: { env: 'HARBOUR_TOKEN', origin } });

  it('is sent only to the origin that it was granted for, without a line break at its end', async () => {
    const { directory } = await start([granted()], { HARBOUR_TOKEN: 'secret\r\n' });
    expect(directory.tokenFor('granted', `${origin}/sep38/price?x=1`)).toBe('secret');
    for (const url of [
      'http://api.harbour.example/sep38',
      `${origin}:444/sep38`,
      `${origin}.evil.example/`,
      `${origin}@evil.example/`,
      `https://evil.example/${origin}`,
      'not an address',
    ])
      expect(directory.tokenFor('granted', url)).toBeUndefined();
    expect(directory.tokenFor('other', origin)).toBeUndefined();
  });

  it.each([
    ['is not set', ''],
    ['cannot be sent', 'sec\nret'],
    ['cannot be sent', 'secret\u2026'],
  ])('that %s is warned of without its value', async (why, token) => {
    const { directory } = await start([granted()], { HARBOUR_TOKEN: token });
    expect(directory.tokenFor('granted', `${origin}/sep38`)).toBeUndefined();
    const line = { anchorId: 'granted', variable: 'HARBOUR_TOKEN', message: expect.stringContaining(why) };
    expect(lines).toContainEqual(expect.objectContaining(line));
    expect(JSON.stringify(lines)).not.toMatch(/sec/);
  });
});

function corridorOf(currency: string) {
  return {
    id: `usdc-${currency.toLowerCase()}`,
    sellAsset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    buyAsset: `iso4217:${currency}`,
    referenceAmount: '100',
    min: '10',
    max: '10000',
    speedTargetSeconds: 600,
    overdueAfterSeconds: 86_400,
  };
}

function keyLine(key: string) {
  return `SIGNING_KEY = "${key}"`;
}

function sep6Line() {
  return `TRANSFER_SERVER = "${server.origin}/sep6"`;
}
