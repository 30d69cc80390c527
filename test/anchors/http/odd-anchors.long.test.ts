import type { RequestListener } from 'node:http';
import { afterAll, expect, it } from '@jest/globals';
import type { AnchorAnswer } from '../../../contract/schemas/anchors.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { callbackSignature } from '../../../scripts/simulated-anchors/callbacks.js';
import { simulatedKey } from '../../../scripts/simulated-anchors/identity.js';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { answerText, type HostileAnchor, startHostileAnchor } from '../../fixtures/rates/hostile-anchor.js';
import { startTestApp, testCronSecret } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const issuer = usdc.slice('stellar:USDC:'.length);
const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const treasury = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const tomlPath = '/.well-known/stellar.toml';
const pricePath = '/sep38/price';
const infoPath = '/sep24/info';
const key = simulatedKey('odd');

const database = testDatabase();
let passedMs = 0;
let startedAt = '';
const now = () => Date.now() + passedMs;
/** `"@id"` stands for the id as a number, which has more digits than a double. */
const id = '9007199254740993';
const json = (value: unknown): RequestListener =>
  answerText(JSON.stringify(value).replaceAll('"@id"', id).replaceAll('"@1e18"', '1e+18'));

/** What an anchor writes in its own way; everything else is usual. */
interface Odd {
  toml?: RequestListener | string;
  price?: RequestListener | object;
  info?: object;
  /** The record before and after the payment, and what differs in both. */
  record?: object;
  paid?: object;
  /** The anchor has granted no token, and sends callbacks. */
  callsBack?: boolean;
  /** What clients see: the quote or the reason for none, the intent in the end, and what the anchor is told. */
  quote?: object;
  reason?: string;
  intent?: object;
  unreadable?: object[];
}

const quoted = { tier: 'anchor', sellAmount: '100', receiveAmount: '152857.72', rate: '1528.5772' };
const settled = {
  status: 'settled',
  outcome: { reason: 'completed', amountOut: '152857.72', scored: true, unscoredReason: null },
};
const price = { sell_amount: '100', buy_amount: '152857.72' };
const unread = (document: string, what: string) => [{ document, what: expect.stringContaining(what) }];

/** One for each row of what anchors in the wild were seen to write. */
const odds: Record<string, Odd> = {
  'amounts-with-exponents': { paid: { amount_in: '1E+2', amount_out: '1.5285772E+5' } },
  'amounts-of-many-places': { paid: { amount_out: '152857.7200000000000000000000' } },
  'a-payout-with-a-comma': {
    paid: { amount_out: '152,857.72' },
    intent: { status: 'pending', transaction: { problem: 'unreadable_amount' } },
    unreadable: unread('transaction', 'amount_out cannot be read'),
  },
  'a-price-with-exponents': {
    price: {
      sell_amount: '1E+2',
      buy_amount: '1.5285772E+5',
      total_price: '0.0006542031373123764975429386',
      price: '0.0006542031373123764975429386',
      fee: { total: '0E-7', asset: usdc },
    },
    quote: { ...quoted, fee: { total: '0', asset: usdc } },
  },
  'a-price-in-numbers': { price: { sell_amount: 100, buy_amount: 152857.72, sell_asset: 'USDC', fee: null } },
  'a-price-with-a-comma': {
    price: { ...price, buy_amount: '152857,72' },
    reason: 'malformed',
    unreadable: unread('price', 'buy_amount is no amount'),
  },
  'a-number-of-64-bits-in-the-toml': {
    toml: '[[CURRENCIES]]\ncode = "USDC"\nmax_number = 9223372036854775807',
  },
  'a-byte-that-is-no-text-in-the-toml': {
    toml: (_req, res) =>
      res.end(Buffer.concat([tomlOf(_req.headers.host), Buffer.from('\nX = "caf\xe9"', 'latin1')])),
  },
  'a-toml-that-moved': {
    toml: (_req, res) => res.writeHead(301, { location: 'https://www.anchor.example/toml' }).end(),
    reason: 'error',
    intent: { status: 'pending' },
    unreadable: unread('stellar.toml', 'a redirect to https://www.anchor.example/toml'),
  },
  'a-toml-with-a-fault-in-what-is-not-used': { toml: 'ORG_NAME = Odd' },
  'a-toml-with-a-fault': {
    toml: 'WEB_AUTH_ENDPOINT = Odd',
    reason: 'malformed',
    intent: { status: 'pending' },
    unreadable: unread('stellar.toml', 'is not TOML'),
  },
  'a-fee-with-limits-of-its-own': {
    info: { enabled: 'true', fee_fixed: 1.0, fee_percent: 1.0, min_amount: -1, max_amount: '@1e18' },
    quote: { tier: 'estimate', estimate: { source: 'sep24', feeFixed: '1', feePercent: '1' } },
  },
  'no-withdrawals-as-php-writes-them': { info: [], reason: 'not_served' },
  'instructions-in-numbers': {
    record: { id: '@id', amount_in: 100, withdraw_memo: 42, withdraw_memo_type: 'ID' },
    paid: { amount_in: 100, amount_out: 152857.72, amount_in_asset: 'USDC', amount_fee: null },
  },
  'a-memo-in-hex': { record: { withdraw_memo: 'ab'.repeat(32), withdraw_memo_type: 'hash' } },
  'a-memo-without-padding': {
    record: {
      withdraw_memo: Buffer.alloc(32, 0xab).toString('base64').replace('=', ''),
      withdraw_memo_type: 'hash',
    },
  },
  'assets-without-a-scheme': {
    record: { amount_in_asset: `USDC:${issuer}`, amount_out_asset: 'iso4217:NGN' },
  },
  'a-pause-until-a-date': {
    price: (_req, res) =>
      res.writeHead(429, { 'retry-after': new Date(now() + 600_000).toUTCString() }).end(),
    reason: 'busy',
  },
  'a-callback-over-the-host': { callsBack: true },
};

const servers = new Map<string, HostileAnchor>();
const isPaid = new Set<string>();

const originOf = (name: string) => servers.get(name)?.origin ?? '';

function tomlOf(host = '', info = false): Buffer {
  const origin = `http://${host}`;
  const members = [`TRANSFER_SERVER_SEP0024 = "${origin}/sep24"`, `SIGNING_KEY = "${key.publicKey()}"`];
  return Buffer.from([...members, ...(info ? [] : [`ANCHOR_QUOTE_SERVER = "${origin}/sep38"`])].join('\n'));
}

/** The record of a withdrawal that waits for its payment, or is paid out. */
function recordOf(name: string) {
  const { record, paid } = odds[name] ?? {};
  const waiting = {
    id,
    kind: 'withdrawal',
    status: 'pending_user_transfer_start',
    started_at: startedAt,
    amount_in: '100',
    withdraw_anchor_account: treasury,
    withdraw_memo: '42',
    withdraw_memo_type: 'id',
    ...record,
  };
  const done = { status: 'completed', from: account, amount_out: '152857.72', stellar_transaction_id: 'ab' };
  return { transaction: isPaid.has(name) ? { ...waiting, ...done, ...paid } : waiting };
}

for (const [name, odd] of Object.entries(odds)) await startAnchor(name, odd);
const simulated = await startSimulatedAnchors({
  clock: now,
  random: () => 0.5,
  latencyFactor: 0,
  anchors: ['ferry'],
});
const anchors = Object.entries(odds).map(([name, { callsBack }]) => ({
  id: name,
  name,
  homeDomain: originOf(name),
  corridors: [{ id: 'usdc-ngn', deliveryMethods: ['bank_account'] }],
  ...(callsBack ? {} : { partnerToken: { env: 'ODD_TOKEN', origin: originOf(name) } }),
}));
const app = await startTestApp({
  uri: database.uri,
  simulated,
  allow: [...servers.values()].map(({ origin }) => origin),
  env: { ODD_TOKEN: 'token', PUBLIC_URL: 'HTTPS://Fairlead.Example:443' },
  fleet: (fleet) => ({ corridors: fleet.corridors.filter((each) => each.id === 'usdc-ngn'), anchors }),
  world: { clock: now, pause: async () => undefined },
});
afterAll(async () => {
  await app.close();
  await simulated.stop();
  for (const each of servers.values()) await each.stop();
});

const names = Object.keys(odds);
const intents = new Map<string, IntentAnswer>();
let clients = 0;

const intentOf = (name: string) => intents.get(name)?.intentHash ?? '';

/** Lets time pass, and looks at every transaction: by polls, and by the callbacks of those who send them. */
async function pass(ms: number): Promise<void> {
  passedMs += ms;
  const headers = { authorization: `Bearer ${testCronSecret}` };
  for (let more = true; more; )
    more = (await request<{ more: boolean }>('POST', '/api/reputation/reconcile', { headers })).body.more;
  for (const name of names.filter((each) => odds[each]?.callsBack)) {
    const { statusCallbackUrl } = intents.get(name) ?? {};
    const { host, pathname } = new URL(statusCallbackUrl ?? '');
    const body = JSON.stringify(recordOf(name));
    const signed = {
      'content-type': 'application/json',
      signature: callbackSignature(key, now(), host, body),
    };
    await request('POST', pathname, { body, headers: signed });
  }
}

const read = async (name: string) =>
  (await request<IntentAnswer>('GET', `/api/intent/${intentOf(name)}`)).body;

/** On a busy machine an anchor is late at times, and is asked again. */
const patience = { timeout: 60_000, interval: 500 };

async function readRates(): Promise<RatesAnswer> {
  const { status, body } = await request<RatesAnswer>('GET', '/api/rates/usdc-ngn');
  expect(status).toBe(200);
  return body;
}

/** Looks again and again until the intents of all anchors whose addresses are known show this. */
async function seen(member: 'transaction' | 'outcome', passesMs: number): Promise<void> {
  await waitFor(async () => {
    await pass(passesMs);
    for (const name of names) intents.set(name, await read(name));
    const expected = names.filter((name) => (odds[name]?.intent ?? settled) === settled);
    const isSeen = (name: string) => {
      const { transaction, outcome } = intents.get(name) ?? {};
      return member === 'outcome' ? outcome !== null : transaction?.status != null;
    };
    expect(expected.filter((name) => !isSeen(name))).toEqual([]);
  }, patience);
}

const rates = await waitFor(async () => {
  passedMs += 20_000;
  const answer = await readRates();
  const late = answer.unavailable.filter(({ reason }) => ['timeout', 'unreachable'].includes(reason));
  expect(late).toEqual([]);
  return answer;
}, patience);
for (const name of names) {
  const nonce = name.padEnd(32, '-').slice(0, 32);
  const terms = { corridor: 'usdc-ngn', anchorId: name, account, sellAmount: '100', nonce };
  intents.set(name, (await request<IntentAnswer>('POST', '/api/intent/offramp', { body: terms })).body);
}
passedMs += 1_000;
startedAt = new Date(now()).toISOString();
for (const name of names) {
  const path = `/api/intent/${intentOf(name)}/transaction`;
  const nonce = name.padEnd(32, '-').slice(0, 32);
  await request('POST', path, { body: { anchorTransactionId: id, nonce } });
}
await seen('transaction', minuteMs);
for (const name of names) isPaid.add(name);
await seen('outcome', 10 * minuteMs);

it.each(names)('%s: from the quote to the outcome', async (name) => {
  const { quote = quoted, reason, intent = settled, unreadable = [] } = odds[name] ?? {};
  const found = rates.quotes.find(({ anchorId }) => anchorId === name);
  if (reason === undefined) expect(found).toMatchObject(quote);
  else expect(rates.unavailable).toContainEqual({ anchorId: name, reason });
  expect(intents.get(name)).toMatchObject(intent);
  expect((await request<AnchorAnswer>('GET', `/api/anchors/${name}`)).body.unreadable).toMatchObject(
    unreadable,
  );
});

it('an anchor that asks for a pause until a date is not asked before', async () => {
  const asked = () =>
    servers.get('a-pause-until-a-date')?.seen.filter(({ url }) => url.startsWith(pricePath));
  const isBusy = async () =>
    expect((await readRates()).unavailable).toContainEqual({
      anchorId: 'a-pause-until-a-date',
      reason: 'busy',
    });
  // After the pause, which is a minute at most, it is asked once more.
  passedMs += minuteMs;
  await waitFor(isBusy, patience);
  const before = asked()?.length;
  passedMs += 20_000;
  await waitFor(isBusy, patience);
  expect(asked()?.length).toBe(before);
});

it('the address that is handed out for callbacks is the one that is verified', () => {
  for (const { statusCallbackUrl } of intents.values())
    expect(statusCallbackUrl).toMatch(/^https:\/\/fairlead\.example\/api\//);
});

it('a payout that cannot be read for a day counts neither for nor against the anchor', async () => {
  await pass(dayMs);
  const unread = { amountOut: null, scored: false, unscoredReason: 'amount_unreadable' };
  expect(await read('a-payout-with-a-comma')).toMatchObject({ outcome: unread });
});

function request<Body>(method: string, path: string, options: { body?: unknown; headers?: object } = {}) {
  clients += 1;
  const headers = { 'x-forwarded-for': `203.0.113.${clients % 250}`, ...options.headers };
  return app.client.request<Body>(method, path, { ...options, headers });
}

async function startAnchor(name: string, odd: Odd): Promise<void> {
  const { toml, info } = odd;
  const given = odd.price ?? price;
  const usualToml: RequestListener = (req, res) => {
    const own = typeof toml === 'string' ? `\n${toml}` : '';
    res.end(Buffer.concat([tomlOf(req.headers.host, info !== undefined), Buffer.from(own)]));
  };
  const anchor = await startHostileAnchor({
    [tomlPath]: typeof toml === 'function' ? toml : usualToml,
    [pricePath]: typeof given === 'function' ? (given as RequestListener) : json(given),
    [infoPath]: json({ withdraw: Array.isArray(info) ? info : { USDC: info } }),
    '/sep24/transaction': (req, res) => json(recordOf(name))(req, res),
  });
  servers.set(name, anchor);
}
