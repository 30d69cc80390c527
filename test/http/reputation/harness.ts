import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { RefreshAnswer } from '../../../contract/reputation-answers.js';
import type { FoldableIntent } from '../../../server/features/reputation/foldable-intent.js';
import type { Received } from '../../helpers/answers.js';
import { startTestApp, type TestApp, testCronSecret } from '../../helpers/app.js';
import { testDatabase } from '../../helpers/database.js';
import { failed, foldable, settled } from '../../unit/reputation/foldable.js';

export const refreshPath = '/api/reputation/refresh';

/** The app, with intents put straight into its database. */
export interface ReputationHarness {
  readonly app: TestApp;
  get<Body>(path: string, headers?: Record<string, string>): Promise<Received<Body>>;
  /** Outcomes of as many accounts, recorded today. */
  record(anchorId: string, corridor: string, count: number, filled?: number): Promise<void>;
  refresh(options?: { body?: unknown }): Promise<Received<RefreshAnswer>>;
}

/** Call it once at the top of a file. */
export function reputationHarness(env: Record<string, string> = {}): ReputationHarness {
  const database = testDatabase();
  let app: TestApp;
  let clients = 0;
  beforeAll(async () => {
    app = await startTestApp({ uri: database.uri, env });
  });
  afterAll(() => app.close());

  /** Every request comes from another client: limits are tested where limits are. */
  function client(): Record<string, string> {
    clients += 1;
    return { 'x-forwarded-for': `203.0.${clients >> 8}.${clients & 255}` };
  }

  return {
    get app() {
      return app;
    },
    get: (path, headers = {}) => app.client.request('GET', path, { headers: { ...client(), ...headers } }),
    async record(anchorId, corridor, count, filled = count) {
      const recordedAt = new Date();
      const intents = Array.from({ length: count }, (_, index) =>
        foldable({
          _id: randomBytes(32).toString('hex'),
          anchorId,
          corridor,
          account: `G${anchorId}${corridor}${index}`,
          outcome: index < filled ? settled({ recordedAt }) : failed({ recordedAt }),
        }),
      );
      await app.connection.collection<FoldableIntent>('intents').insertMany(intents);
    },
    refresh: (options = {}) =>
      app.client.request<RefreshAnswer>('POST', refreshPath, {
        ...options,
        headers: { authorization: `Bearer ${testCronSecret}`, ...client() },
      }),
  };
}
