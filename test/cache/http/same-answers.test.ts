import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startCountedCache } from '../../fixtures/cache/counted-cache.js';
import { testApp } from '../../support/app.js';
import { propertyRuns } from '../../support/property-runs.js';
import { waitFor } from '../../support/wait-for.js';

/** The response cache must not be noticeable: its answers are compared with those of the application. */
// The clock stands still, because otherwise an answer could change between the two compared requests.
let now = Date.now();
const app = await testApp({ world: { clock: () => now } });
const ports = await startCountedCache(app);

beforeAll(async () => {
  // The first quotes may come too late on a busy machine; whoever asks again waits until the clock has moved on.
  await waitFor(async () => {
    now = Date.now();
    const { headers } = await app.client.request('GET', '/api/rates/usdc-ngn', { headers: from(999) });
    expect(headers.get('cache-control')).toBe('private, max-age=15');
  });
  // Half a second after a whole one, so that max-age does not change a moment later.
  now += 500;
  // The history changes when the first sample of the rates is taken, ten seconds after the start.
  const samples = () => app.connection.collection('rate_samples').countDocuments({ corridor: 'usdc-ngn' });
  await waitFor(async () => expect(await samples()).toBeGreaterThan(0), { timeout: 50_000 });
});
afterAll(() => ports.stop());

/** An answer as it was on the wire. */
interface RawAnswer {
  status: number;
  reason: string;
  /** In lower case, in the order in which they came. */
  headers: [name: string, value: string][];
  body: Buffer;
}

/**
 * Sends exactly these bytes on a connection of its own; the last request must ask for the connection to be closed. What
 * comes after the first head counts as its body (see `separated`).
 */
function sendRaw(port: number, request: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(request, 'latin1'));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => resolve(parse(Buffer.concat(chunks))));
    socket.on('error', reject);
  });
}

function headerOf(answer: RawAnswer, wanted: string): string | undefined {
  return answer.headers.find(([name]) => name === wanted)?.[1];
}

/** An answer and those that follow it in the same bytes. No body of ours contains a status line. */
function separated({ body, ...head }: RawAnswer): [RawAnswer, ...RawAnswer[]] {
  const next = body.indexOf('HTTP/1.1 ');
  if (next < 0) return [{ ...head, body }];
  return [{ ...head, body: body.subarray(0, next) }, ...separated(parse(body.subarray(next)))];
}

function parse(received: Buffer): RawAnswer {
  const interim = /^HTTP\/1\.1 100 [^\r]*\r\n\r\n/.exec(received.toString('latin1'));
  const bytes = received.subarray(interim?.[0].length ?? 0);
  const end = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const [, status, ...reason] = statusLine.split(' ');
  return { status: Number(status), reason: reason.join(' '), headers, body: bytes.subarray(end + 4) };
}

const lines = (text: string) => text.trim().split(/\s*\n\s*/);
const kept = lines(`
  /api/rates/usdc-ngn
  /api/rates/usdc-ngn?amount=100
  /api/corridors
  /api/anchors
  /api/anchors/harbour
  /api/snapshot
  /api/reputation/leaderboard
  /api/reputation/harbour?window=7
  /v1/public/scores
  /api/publisher/batches
  /healthz
  /openapi.json`);
/** Not /readyz, whose answer depends on how quickly the database answers. */
const others = lines(`
  /api/rates/usdc-zzz
  /api/rates/usdc-ngn?amount=-1
  /api/rates/usdc-ngn?amount=100&amount=100
  /api/rates/%75sdc-ngn
  /api/rates/USDC-NGN
  /api/rates/usdc-ngn?asOf=2026-11-01T00:00:00Z
  /api/rates/usdc-ngn/history
  /api/rates/usdc-ngn/history?day=2026-11-01
  /api/corridors/
  /api/corridors?
  /api/corridors?unknown=1
  /api/corridors#x
  /api/%zz
  //api/corridors
  http://fairlead.example/api/corridors
  /api/publisher/batches/1
  /nothing`);
const codings = ['', 'identity', 'gzip', 'br', 'gzip, deflate, br', 'gzip;q=0', '*', 'br;q=0.1, gzip', 'x'];
const tags = ['none', 'same', 'weak', 'list', 'any', 'other'] as const;
const extraLines = [
  '',
  'X-Request-Id: of-the-test-1',
  'X-Request-Id: bad id',
  'x-request-id: of-the-test-1\r\nX-REQUEST-ID: of-the-test-2',
  'Origin: https://wallet.example',
  'Content-Length: 0',
  'Content-Length: 2',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
  'Authorization: Bearer a\r\nAuthorization: Bearer b',
  'Content-Type: text/plain',
  'Host: other.example',
  'Accept: text/html',
  'Accept: text/csv',
  'Cookie: session=1',
  'Range: bytes=0-3',
];

interface Sent {
  method: string;
  target: string;
  version: string;
  coding: string;
  tag: (typeof tags)[number];
  extra: string;
  host: string;
  /**
   * On a connection that stays open, another request follows at once. On a busy one, a request that only the application
   * answers comes first as well, so that this answer has to wait for that one.
   */
  connection: 'closes' | 'stays open' | 'is busy';
}

const sent: fc.Arbitrary<Sent> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'get'),
    target: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...kept) }, fc.constantFrom(...others)),
    version: fc.constantFrom('1.1', '1.1', '1.1', '1.0'),
    coding: fc.constantFrom(...codings),
    tag: fc.constantFrom(...tags),
    extra: fc.constantFrom(...extraLines),
    host: fc.constantFrom('Host: fairlead.example', 'hOsT: fairlead.example:8080', 'Host: a b', ''),
    connection: fc.constantFrom('closes', 'stays open', 'is busy'),
  })
  .filter(
    // Node writes `100 Continue` at once, into an answer before it that is being sent.
    ({ extra, connection }) => !(extra.startsWith('Expect') && connection === 'is busy'),
  );

let clients = 1_000;

/** The answers without what may differ between two requests. */
function comparable(answer: RawAnswer) {
  const id = /^[0-9a-f]{32}$/;
  return separated(answer).map(({ body, headers, ...status }) => ({
    ...status,
    headers: headers
      .filter(([name]) => name !== 'x-ratelimit-reset')
      .map(([name, value]) => {
        if (name === 'date') return [name, isNow(value) ? 'now' : value];
        return [name, name === 'x-request-id' && id.test(value) ? 'new' : value];
      })
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    body: body.toString('latin1'),
  }));
}

/** A busy machine may take seconds. */
function isNow(date: string): boolean {
  const at = new Date(date);
  return at.toUTCString() === date && Math.abs(at.getTime() - Date.now()) < 10_000;
}

const usual = { extra: '', host: 'Host: x', version: '1.1' };

describe('what is answered from the response cache', () => {
  it('is what the application answers, whatever is asked in whatever way', async () => {
    let fromCache = 0;
    await fc.assert(
      fc.asyncProperty(sent, async (given) => {
        const plain = { ...given, ...usual, method: 'GET', connection: 'closes' } as const;
        clients += 3;
        // The answer is cached from here on, and its ETag is known.
        const first = await sendRaw(ports.port, requestOf(plain, '', clients));
        const etag = tagFor(given.tag, first);
        const before = ports.handed();
        const cached = await sendRaw(ports.port, requestOf(given, etag, clients + 1));
        if (ports.handed() === before) fromCache += 1;
        const direct = await sendRaw(ports.barePort, requestOf(given, etag, clients + 2));
        expect(comparable(cached)).toEqual(comparable(direct));
      }),
      { numRuns: propertyRuns(1_500) },
    );
    // Otherwise nothing was compared with a cached answer.
    expect(fromCache).toBeGreaterThan(0);
    // The time limit is for the long run, which compares 1,500 cases.
  }, 300_000);
});

function tagFor(tag: Sent['tag'], answer: RawAnswer | undefined): string {
  const etag = (answer && headerOf(answer, 'etag')) ?? '"none"';
  const list = `"x", ${etag} ,"y"`;
  return { none: '', same: etag, weak: `W/${etag}`, list, any: '*', other: '"other"' }[tag];
}

function requestOf(given: Sent, etag: string, client: number): string {
  const { method, target, version, coding, extra, host, connection } = given;
  const ofClient = `X-Forwarded-For: ${from(client)['x-forwarded-for']}`;
  const closes = 'Connection: close';
  const sentLines = [
    `${method} ${target} HTTP/${version}`,
    host,
    ofClient,
    coding === '' ? '' : `Accept-Encoding: ${coding}`,
    etag === '' ? '' : `If-None-Match: ${etag}`,
    extra,
    connection === 'closes' ? closes : '',
  ];
  const body = extra.startsWith('Transfer-Encoding')
    ? '0\r\n\r\n'
    : extra === 'Content-Length: 2'
      ? '{}'
      : '';
  const other = (target: string, ...more: string[]) =>
    [`GET ${target} HTTP/1.1`, 'Host: x', ofClient, ...more, '', ''].join('\r\n');
  const before = connection === 'is busy' ? other('/nothing') : '';
  const after = connection === 'closes' ? '' : other('/healthz', closes);
  return `${before}${sentLines.filter((line) => line !== '').join('\r\n')}\r\n\r\n${body}${after}`;
}

function from(client: number) {
  return { 'x-forwarded-for': `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}` };
}
