import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { AdminDispute, DisputeAnswer } from '../../../contract/disputes.js';
import type { IntentAnswer } from '../../../contract/intent-answer.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import type { IntentDocument } from '../../../server/features/intents/intent-document.js';
import type { Received } from '../../helpers/answers.js';
import { startTestApp, type TestApp, testAdminKey } from '../../helpers/app.js';
import { testDatabase } from '../../helpers/database.js';
import { type Signer, storedIntent } from '../../unit/disputes/fixtures.js';

export const disputePath = '/api/reputation/dispute';
export const deskPath = '/api/admin/disputes';
export const day = 86_400_000;

type Error = { code: string; message: string; details?: { path: string; message: string }[] };

/** The app, with intents put straight into its database. */
export interface DisputesHarness {
  readonly app: TestApp;
  now(): number;
  pass(ms: number): void;
  /** Another instance on the same database and clock; stopped with the file. */
  startAnother(env?: Record<string, string>): Promise<TestApp>;
  stop(instance: TestApp): Promise<void>;
  /** An intent of that account that ended so, a moment ago; null: still pending. */
  add(
    owner: Signer,
    ending: Parameters<typeof storedIntent>[1],
    changes?: Partial<IntentDocument>,
  ): Promise<IntentDocument>;
  /** As a client that never asked before, unless `address` says who. */
  file(
    body: unknown,
    options?: { address?: string; instance?: TestApp },
  ): Promise<Received<DisputeAnswer & Error>>;
  read(intentHash: string): Promise<IntentAnswer>;
  list(
    query?: Record<string, string>,
  ): Promise<Received<{ items: AdminDispute[]; nextCursor: string | null } & Error>>;
  resolve(body: unknown, instance?: TestApp): Promise<Received<AdminDispute & Error>>;
  events(intentHash: string): Promise<{ event: string; data: Record<string, unknown> }[]>;
}

/** Call it once at the top of a file. */
export function disputesHarness(): DisputesHarness {
  const database = testDatabase();
  const started: TestApp[] = [];
  let ahead = 0;
  let clients = 0;
  let simulated: SimulatedAnchors;
  const clock = () => Date.now() + ahead;

  async function start(env: Record<string, string> = {}): Promise<TestApp> {
    const app = await startTestApp({ uri: database.uri, simulated, env, world: { clock } });
    started.push(app);
    return app;
  }

  beforeAll(async () => {
    simulated = await startSimulatedAnchors({
      clock,
      random: () => 0.5,
      latencyFactor: 0,
      anchors: ['harbour', 'squall'],
    });
    const { connection } = await start();
    // Whose key it is that an anchor signs with is read from its stellar.toml, in the background.
    await vi.waitFor(
      async () => expect(await connection.collection('anchors').countDocuments({ signingKey: null })).toBe(0),
      { timeout: 30_000 },
    );
  });
  afterAll(async () => {
    for (const app of started) await app.close();
    await simulated.stop();
  });

  function first(): TestApp {
    const [app] = started;
    if (app === undefined) throw new Error('the app is not started yet');
    return app;
  }

  function client(): Record<string, string> {
    clients += 1;
    return { 'x-forwarded-for': `203.0.${clients >> 8}.${clients & 255}` };
  }
  const admin = () => ({ 'x-admin-key': testAdminKey, ...client() });

  return {
    get app() {
      return first();
    },
    now: clock,
    pass(ms) {
      ahead += ms;
    },
    startAnother: start,
    async stop(instance) {
      started.splice(started.indexOf(instance), 1);
      await instance.close();
    },
    async add(owner, ending, changes = {}) {
      const intent = storedIntent(owner.account, ending, { now: clock(), changes });
      await first().connection.collection<IntentDocument>('intents').insertOne(intent);
      return intent;
    },
    file: (body, { address, instance = first() } = {}) =>
      instance.client.request('POST', disputePath, {
        headers: address === undefined ? client() : { 'x-forwarded-for': address },
        body,
      }),
    read: async (intentHash) => {
      const path = `/api/intent/${intentHash}`;
      return (await first().client.request<IntentAnswer>('GET', path, { headers: client() })).body;
    },
    list: (query = {}) => first().client.request('GET', deskPath, { headers: admin(), query }),
    resolve: (body, instance = first()) =>
      instance.client.request('POST', deskPath, { headers: admin(), body }),
    events: async (intentHash) => {
      const rows = await first()
        .connection.collection('outbox')
        .find({ 'data.intentHash': intentHash, event: /^dispute\./ })
        .sort({ createdAt: 1 })
        .toArray();
      return rows.map(({ event, data }) => ({ event, data }));
    },
  };
}
