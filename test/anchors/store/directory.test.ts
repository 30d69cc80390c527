import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { noEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { anchorAnswer } from '../../../contract/schemas/anchors.js';
import { createSigningKeys } from '../../../server/features/anchors/signing-keys.js';
import { createAnchorStore } from '../../../server/features/anchors/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import type { Logger } from '../../../server/ports.js';
import { answerText, type HostileAnchor, startHostileAnchor } from '../../fixtures/rates/hostile-anchor.js';
import { type RatesService, startRatesService } from '../../fixtures/rates/rates-service.js';
import { outboxOf } from '../../fixtures/webhooks/emit.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const firstKey = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const otherKey = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const tomlPath = '/.well-known/stellar.toml';

let server: HostileAnchor;
let connection: Connection;
const running: RatesService[] = [];

function answerMoved(location: string): RequestListener {
  return (_req, res) => res.writeHead(301, { location }).end();
}

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  server = await startHostileAnchor();
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});
afterAll(async () => {
  await server.stop();
  await connection.close();
});

function corridor(id: string, currency: string) {
  return {
    id,
    sellAsset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    buyAsset: `iso4217:${currency}`,
    referenceAmount: '100',
    min: '10',
    max: '10000',
    speedTargetSeconds: 600,
    overdueAfterSeconds: 86_400,
  };
}

function anchor(id: string, patch: object = {}) {
  const corridors = [{ id: 'usdc-ngn', deliveryMethods: ['bank_account'] }];
  return { id, name: id.toUpperCase(), homeDomain: server.origin, corridors, ...patch };
}

async function start(
  anchors: object[],
  patch: { logger?: Logger; env?: Record<string, string>; fxUrl?: string } = {},
) {
  const fleet = { corridors: [corridor('usdc-ngn', 'NGN'), corridor('usdc-kes', 'KES')], anchors };
  const service = await startRatesService({ uri: database.uri, fleet, allow: [server.origin], ...patch });
  running.push(service);
  return service;
}

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
    const { directory } = await start([anchor('stayer')]);
    expect(await directory.getAnchor('leaver')).toMatchObject({
      status: 'delisted',
      corridors: [],
      start: [],
    });
    expect(directory.anchorsOf('usdc-ngn').map(({ id }) => id)).toEqual(['stayer']);
    const serving = await directory.listAnchors({ corridor: 'usdc-ngn' });
    expect(serving.items.map(({ id }) => id)).toEqual(['stayer']);
    const again = await start([anchor('leaver'), anchor('stayer')]);
    expect(await again.directory.getAnchor('leaver')).toMatchObject({ status: 'active', delistedAt: null });
    expect(await onboarded('leaver')).toHaveLength(1);
  });
});

describe('discovery', () => {
  it('reads the addresses of the stellar.toml and how a wallet starts there', async () => {
    server.routes[tomlPath] = answerText(
      `SIGNING_KEY = "${firstKey}"\nTRANSFER_SERVER_SEP0024 = "${server.origin}/sep24"\nWEB_AUTH_ENDPOINT = "${server.origin}/auth"`,
    );
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

  it('survives a restart, so that nobody waits for an unreachable home domain', async () => {
    server.routes[tomlPath] = answerText(`TRANSFER_SERVER = "${server.origin}/sep6"`);
    const first = await start([anchor('kept')]);
    await first.directory.endpointsOf('kept');
    await first.directory.stop();
    server.routes[tomlPath] = answerText('', 503);
    const second = await start([anchor('kept')]);
    expect(await second.directory.endpointsOf('kept')).toMatchObject({
      transferServerSep6: `${server.origin}/sep6`,
    });
  });

  it('does not keep the addresses of an old home domain', async () => {
    server.routes[tomlPath] = answerText(`TRANSFER_SERVER = "${server.origin}/sep6"`);
    const first = await start([anchor('mover')]);
    await first.directory.endpointsOf('mover');
    await first.directory.stop();
    const second = await start([anchor('mover', { homeDomain: 'elsewhere.example' })]);
    expect((await second.directory.getAnchor('mover')).endpoints.transferServerSep6).toBeNull();
  });

  it('does not keep what an instance with the earlier fleet file still reads of the old home domain', async () => {
    server.routes[tomlPath] = answerText(
      `SIGNING_KEY = "${otherKey}"\nTRANSFER_SERVER = "${server.origin}/sep6"`,
    );
    const moved = () => anchor('mover-late', { homeDomain: 'elsewhere.example' });
    const behind = await start([anchor('mover-late')]);
    await start([moved()]);
    await behind.directory.endpointsOf('mover-late');
    await behind.directory.stop();
    const { directory } = await start([moved()]);
    expect(await directory.getAnchor('mover-late')).toMatchObject({
      signingKey: null,
      endpoints: { transferServerSep6: null },
      discovery: { state: 'pending' },
    });
  });

  it('reports why a stellar.toml cannot be read, and retries only after a pause', async () => {
    server.routes[tomlPath] = answerText('', 503);
    const { directory, world } = await start([anchor('away')]);
    await expect(directory.endpointsOf('away')).rejects.toMatchObject({ reason: 'error' });
    expect((await directory.getAnchor('away')).discovery).toMatchObject({ state: 'failed', reason: 'error' });
    const asked = server.seen.length;
    await expect(directory.endpointsOf('away')).rejects.toMatchObject({ reason: 'error' });
    expect(server.seen.length).toBe(asked);
    server.routes[tomlPath] = answerText('');
    world.now += 2_000;
    await directory.endpointsOf('away');
    expect(server.seen.length).toBe(asked + 1);
  });

  it.each([
    [
      'faulty',
      answerText(`X = 1\nSIGNING_KEY = ${firstKey}`),
      'malformed',
      'stellar.toml: line 2 is not TOML',
    ],
    ['a page', answerText('<!doctype html>'), 'malformed', 'stellar.toml: line 1 is not TOML'],
    [
      'moved',
      answerMoved('https://www.anchor.example/.well-known/stellar.toml?token=1'),
      'error',
      'stellar.toml answers 301, a redirect to https://www.anchor.example/.well-known/stellar.toml, which is not followed',
    ],
  ] as const)('names what is wrong with a stellar.toml that is %s', async (_name, answer, reason, what) => {
    server.routes[tomlPath] = answer;
    const warned: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: (fields) => warned.push(fields) };
    const { directory, world } = await start([anchor('odd')], { logger });
    await expect(directory.endpointsOf('odd')).rejects.toMatchObject({ reason });
    expect(warned).toContainEqual({ anchorId: 'odd', document: 'stellar.toml', what });
    const at = new Date(world.now).toISOString();
    expect((await directory.getAnchor('odd')).unreadable).toEqual([{ document: 'stellar.toml', what, at }]);
  });

  it('names the members that it cannot use of a stellar.toml, and uses the others', async () => {
    server.routes[tomlPath] = answerText(
      `SIGNING_KEY = "G123"\nWEB_AUTH_ENDPOINT = "ftp://a.example"\nTRANSFER_SERVER = "${server.origin}/sep6"`,
    );
    const { directory } = await start([anchor('half')]);
    expect(await directory.endpointsOf('half')).toMatchObject({
      transferServerSep6: `${server.origin}/sep6`,
    });
    expect((await directory.getAnchor('half')).unreadable).toMatchObject([
      { what: 'WEB_AUTH_ENDPOINT, SIGNING_KEY cannot be used' },
    ]);
  });

  it('waits as long as Retry-After says, as a date too, before it reads again', async () => {
    const { directory, world } = await start([anchor('busy')]);
    const until = new Date(world.now + 50_000).toUTCString();
    server.routes[tomlPath] = (_req, res) => res.writeHead(429, { 'retry-after': until }).end();
    await expect(directory.endpointsOf('busy')).rejects.toMatchObject({ reason: 'busy' });
    const asked = server.seen.length;
    world.now += 45_000;
    await expect(directory.endpointsOf('busy')).rejects.toMatchObject({ reason: 'busy' });
    expect(server.seen.length).toBe(asked);
    server.routes[tomlPath] = answerText('');
    world.now += 6_000;
    await directory.endpointsOf('busy');
  });

  it('prefers the addresses of the fleet file to those of the stellar.toml', async () => {
    server.routes[tomlPath] = answerText(
      `SIGNING_KEY = "${otherKey}"\nANCHOR_QUOTE_SERVER = "${server.origin}/toml"\nTRANSFER_SERVER = "${server.origin}/sep6"`,
    );
    const endpoints = { quoteServer: `${server.origin}/file`, signingKey: firstKey };
    const { directory } = await start([anchor('overridden', { endpoints })]);
    expect(await directory.endpointsOf('overridden')).toMatchObject({
      quoteServer: `${server.origin}/file`,
      transferServerSep6: `${server.origin}/sep6`,
      signingKey: firstKey,
    });
    await directory.stop();
    expect(directory.anchor('overridden')).toBeDefined();
  });
});

describe('the signing key of an anchor', () => {
  const errors: unknown[] = [];
  const logger: Logger = { ...silentLogger, error: (fields) => errors.push(fields) };
  const toml = (key: string) =>
    answerText(`SIGNING_KEY = "${key}"\nTRANSFER_SERVER = "${server.origin}/sep6"`);

  it('never changes: an anchor with another key is refused until it shows the first one again', async () => {
    server.routes[tomlPath] = toml(firstKey);
    const first = await start([anchor('turncoat'), anchor('loyal', { endpoints: { signingKey: firstKey } })]);
    await first.directory.endpointsOf('turncoat');
    await first.directory.stop();

    server.routes[tomlPath] = toml(otherKey);
    const second = await start(
      [anchor('turncoat'), anchor('loyal', { endpoints: { signingKey: firstKey } })],
      { logger },
    );
    await second.cacheEpoch.empty();
    await expect(second.directory.endpointsOf('turncoat')).rejects.toMatchObject({ reason: 'not_served' });
    await second.directory.stop();
    expect(second.directory.anchor('turncoat')).toBeUndefined();
    expect(second.directory.anchorsOf('usdc-ngn').map(({ id }) => id)).toEqual(['loyal']);
    expect(await second.directory.getAnchor('turncoat')).toMatchObject({
      status: 'refused',
      signingKey: firstKey,
      start: [],
    });
    expect(await second.directory.signingKeyOf('turncoat')).toBe(firstKey);
    expect(errors).toHaveLength(1);

    const third = await start([anchor('turncoat')]);
    expect(third.directory.anchorsOf('usdc-ngn')).toEqual([]);
    server.routes[tomlPath] = toml(firstKey);
    await third.cacheEpoch.empty();
    await third.directory.discoverDue();
    await third.directory.stop();
    expect(third.directory.anchorsOf('usdc-ngn').map(({ id }) => id)).toEqual(['turncoat']);
  });

  it('is told as accepted once any instance has read it, whichever instance had refused another one', async () => {
    server.routes[tomlPath] = toml(firstKey);
    const one = await start([anchor('returned')], { logger });
    const other = await start([anchor('returned')], { logger });
    const readAgain = async ({ cacheEpoch, directory }: RatesService) => {
      await cacheEpoch.empty();
      await directory.discoverDue();
      await directory.stop();
    };
    await readAgain(one);
    await readAgain(other);
    server.routes[tomlPath] = toml(otherKey);
    await readAgain(one);
    expect(await other.directory.getAnchor('returned')).toMatchObject({ status: 'refused' });
    server.routes[tomlPath] = toml(firstKey);
    await readAgain(other);
    expect(await other.directory.getAnchor('returned')).toMatchObject({ status: 'active' });
  });

  it('is refused at start if the fleet file names another one', async () => {
    await start([anchor('swapped', { endpoints: { signingKey: firstKey } })]);
    const { directory } = await start([anchor('swapped', { endpoints: { signingKey: otherKey } })], {
      logger,
    });
    expect(directory.anchor('swapped')).toBeUndefined();
    expect(await directory.getAnchor('swapped')).toMatchObject({ status: 'refused', signingKey: firstKey });
  });
});

describe('a signing key that cannot be stored, as the database is away', () => {
  it('is stored with the next reading', async () => {
    await start([anchor('away-key')]);
    const store = createAnchorStore(connection);
    let isAway = true;
    const keys = createSigningKeys({
      store: {
        ...store,
        adoptSigningKey: async (...given) => {
          if (isAway) throw new Error('the database is away');
          return store.adoptSigningKey(...given);
        },
      },
      homeDomainOf: () => server.origin,
      logger: silentLogger,
    });
    await keys.judge('away-key', firstKey).catch(() => undefined);
    await keys.judge('away-key', otherKey).catch(() => undefined);
    expect([keys.keyOf('away-key'), keys.isRefused('away-key')]).toEqual([firstKey, true]);
    isAway = false;
    await keys.judge('away-key', otherKey);
    expect(await store.find('away-key')).toMatchObject({ signingKey: firstKey, refusedKey: otherKey });
  });

  it('is judged at the next start by the addresses that were stored with it', async () => {
    await start([anchor('half')]);
    const store = createAnchorStore(connection);
    await store.adoptSigningKey('half', firstKey, server.origin);
    await store.keepReading('half', server.origin, { ...noEndpoints, signingKey: otherKey }, new Date());
    const { directory } = await start([anchor('half')]);
    expect(directory.anchorsOf('usdc-ngn')).toEqual([]);
    expect(await directory.getAnchor('half')).toMatchObject({ status: 'refused', signingKey: firstKey });
  });
});

describe('a partner token', () => {
  it('is sent only to the origin that it was granted for', async () => {
    const partnerToken = { env: 'HARBOUR_TOKEN', origin: 'https://api.harbour.example' };
    const { directory } = await start([anchor('granted', { partnerToken })], {
      env: { HARBOUR_TOKEN: 'secret' },
    });
    const given = (url: string) => directory.tokenFor('granted', url);
    expect(given('https://api.harbour.example/sep38/price?x=1')).toBe('secret');
    for (const url of [
      'http://api.harbour.example/sep38',
      'https://api.harbour.example:444/sep38',
      'https://api.harbour.example.evil.example/',
      'https://api.harbour.example@evil.example/',
      'https://evil.example/https://api.harbour.example',
      'not an address',
    ]) {
      expect(given(url)).toBeUndefined();
    }
    expect(directory.tokenFor('other', 'https://api.harbour.example/')).toBeUndefined();
  });

  const origin = 'https://api.harbour.example';
  const granted = () => anchor('granted', { partnerToken: { env: 'HARBOUR_TOKEN', origin } });

  it('is sent without the line break that a file or a command has left at its end', async () => {
    const { directory } = await start([granted()], { env: { HARBOUR_TOKEN: 'secret\r\n' } });
    expect(directory.tokenFor('granted', `${origin}/sep38`)).toBe('secret');
  });

  it.each([
    ['a line break', 'sec\nret'],
    ['a letter that is not of Latin-1', 'secret\u2026'],
  ])('is not sent, and is warned of without its value, where it has %s in it', async (_name, token) => {
    const lines: unknown[][] = [];
    const logger: Logger = { ...silentLogger, warn: (...line) => void lines.push(line) };
    const { directory } = await start([granted()], { env: { HARBOUR_TOKEN: token }, logger });
    expect(directory.tokenFor('granted', `${origin}/sep38`)).toBeUndefined();
    expect(lines).toContainEqual([
      { anchorId: 'granted', variable: 'HARBOUR_TOKEN' },
      expect.stringContaining('cannot be sent'),
    ]);
    expect(JSON.stringify(lines)).not.toContain(token.slice(0, 3));
  });
});

describe('what can never work', () => {
  function listening() {
    const lines: [string, Record<string, unknown>][] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (fields, message) => void lines.push([message, fields as Record<string, unknown>]),
    };
    const about = (text: string) =>
      lines.filter(([message]) => message.includes(text)).map(([, fields]) => fields);
    return { logger, about };
  }
  const withSep24 = { homeDomain: undefined, endpoints: { transferServerSep24: 'https://a.example/sep24' } };
  const withSep38 = { homeDomain: undefined, endpoints: { quoteServer: 'https://a.example/sep38' } };

  it('is warned of at start for anchors that can only be estimated, if there is no FX_URL', async () => {
    const { logger, about } = listening();
    await start([anchor('estimated', withSep24), anchor('quoting', withSep38)], { logger });
    expect(about('FX_URL')).toEqual([{ anchorId: 'estimated' }]);
    const configured = listening();
    await start([anchor('estimated', withSep24)], {
      logger: configured.logger,
      fxUrl: `${server.origin}/fx`,
    });
    expect(configured.about('FX_URL')).toEqual([]);
  });

  it('is warned of once when a stellar.toml shows that an anchor can only be estimated', async () => {
    const { logger, about } = listening();
    server.routes[tomlPath] = answerText(`TRANSFER_SERVER_SEP0024 = "${server.origin}/sep24"`);
    const service = await start([anchor('shows-late')], { logger });
    expect(about('FX_URL')).toEqual([]);
    await service.directory.discoverDue();
    await service.cacheEpoch.empty();
    await service.directory.discoverDue();
    expect(about('FX_URL')).toEqual([{ anchorId: 'shows-late' }]);
  });

  it('is warned of at start for an anchor without a delivery method in a corridor', async () => {
    const { logger, about } = listening();
    const corridors = [
      { id: 'usdc-kes', deliveryMethods: [] },
      { id: 'usdc-ngn', deliveryMethods: ['cash'] },
    ];
    await start([anchor('without-method', { ...withSep38, corridors })], { logger });
    expect(about('delivery method')).toEqual([{ anchorId: 'without-method', corridors: ['usdc-kes'] }]);
  });
});
