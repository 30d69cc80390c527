import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import type { IntentAnswer } from '../../../contract/intent-answer.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import type { Logger } from '../../../server/ports.js';
import type { Received } from '../../helpers/answers.js';
import { startTestApp, type TestApp, testCronSecret } from '../../helpers/app.js';
import { testDatabase } from '../../helpers/database.js';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
export const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';

type Body = Record<string, unknown>;

/** The app, a few simulated anchors on its clock, and what intents need of both. */
export interface IntentsHarness {
  readonly app: TestApp;
  readonly anchors: SimulatedAnchors;
  now(): number;
  /** Lets time go by, for the anchors too. */
  pass(ms: number): Promise<void>;
  /** Terms that are accepted, with a nonce of their own. */
  terms(patch?: Body): Body;
  /** Every request comes from another client: the limit is tested where limits are. */
  post(body: unknown): Promise<Received<IntentAnswer>>;
  read(intentHash: string): Promise<IntentAnswer>;
  /** Starts a SEP-24 withdrawal at the anchor; resolves to its id. */
  begin(anchorId: string, fields?: Record<string, string>): Promise<string>;
  reconcile(): Promise<Received<Record<string, unknown>>>;
  /** Reconciles until nothing is due. */
  settle(): Promise<void>;
  documents(): ReturnType<typeof collection>;
  /** Everything logged so far. */
  logged(): string;
  events(): Promise<{ event: string; data: Body }[]>;
}

function collection(app: TestApp) {
  return app.connection.collection('intents');
}

/** Call it once at the top of a file. */
export function intentsHarness(
  options: {
    anchors?: readonly string[];
    env?: Record<string, string>;
    allow?: readonly string[];
    /** The least amount that every corridor takes; 10 unless given. */
    min?: string;
  } = {},
) {
  const database = testDatabase();
  let nowMs = Date.UTC(2026, 10, 21, 9, 30);
  let clients = 0;
  let nonces = 0;
  const lines: string[] = [];
  let anchors: SimulatedAnchors;
  let app: TestApp;

  beforeAll(async () => {
    const clock = () => nowMs;
    anchors = await startSimulatedAnchors({
      clock,
      random: () => 0.5,
      latencyFactor: 0,
      anchors: options.anchors ?? ['harbour', 'squall', 'windlass', 'lighter', 'ferry'],
    });
    const port = await freePort();
    const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, ...options.env };
    app = await startTestApp({
      uri: database.uri,
      simulated: anchors,
      env,
      allow: options.allow ?? [],
      fleet: (fleet) => ({
        ...fleet,
        corridors: fleet.corridors.map((each) => ({ ...each, min: options.min ?? each.min })),
      }),
      world: { clock, logger: keepingLogger(lines) },
    });
  });
  afterAll(async () => {
    await app?.close();
    await anchors?.stop();
  });

  function client(): Record<string, string> {
    clients += 1;
    return { 'x-forwarded-for': `203.0.${clients >> 8}.${clients & 255}` };
  }

  const harness: IntentsHarness = {
    get app() {
      return app;
    },
    get anchors() {
      return anchors;
    },
    now: () => nowMs,
    async pass(ms) {
      nowMs += ms;
      await anchors.tick();
    },
    terms(patch = {}) {
      nonces += 1;
      const nonce = createHash('sha256').update(`nonce ${nonces}`).digest('base64url').slice(0, 32);
      return { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: '100', nonce, ...patch };
    },
    post: (body) =>
      app.client.request<IntentAnswer>('POST', '/api/intent/offramp', { headers: client(), body }),
    async read(intentHash) {
      const path = `/api/intent/${intentHash}`;
      return (await app.client.request<IntentAnswer>('GET', path, { headers: client() })).body;
    },
    async begin(anchorId, fields = {}) {
      const { origin } = anchors.anchor(anchorId);
      const response = await fetch(`${origin}/sep24/transactions/withdraw/interactive`, {
        method: 'POST',
        headers: { authorization: `Bearer sim.${account}.x`, 'content-type': 'application/json' },
        body: JSON.stringify({
          asset_code: 'USDC',
          amount: '100',
          destination_asset: 'iso4217:NGN',
          ...fields,
        }),
      });
      const { id } = (await response.json()) as { id?: string };
      if (id === undefined) throw new Error(`the anchor refused: ${response.status}`);
      return id;
    },
    reconcile: () =>
      app.client.request('POST', '/api/reputation/reconcile', {
        headers: { authorization: `Bearer ${testCronSecret}`, ...client() },
      }),
    async settle() {
      for (let runs = 0; runs < 20; runs += 1) {
        const { body } = await harness.reconcile();
        if (body.more !== true) return;
      }
      throw new Error('still due after 20 runs');
    },
    logged: () => lines.join('\n'),
    documents: () => collection(app),
    events: async () => {
      const rows = await app.connection
        .collection('outbox')
        .find({ event: /^intent\./ })
        .toArray();
      return rows.map(({ event, data }) => ({ event, data }));
    },
  };
  return harness;
}

function keepingLogger(lines: string[]): Logger {
  const keep = (fields: object, message: string) => {
    lines.push(`${message} ${inspect(fields, { depth: 8 })}`);
  };
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => logger };
  return logger;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
