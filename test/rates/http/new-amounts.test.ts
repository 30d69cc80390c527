import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const { points } = rateLimitClasses.newAmounts;
const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());

const ask = (query: string, client: string) =>
  app.client.request<{ code?: string; retryAfter?: number }>('GET', `/api/rates/usdc-ngn?${query}`, {
    headers: { 'x-forwarded-for': client },
  });

async function askMany(count: number, queryOf: (index: number) => string, client: string) {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await ask(queryOf(index), client)).status);
  return statuses;
}

describe('amounts that nobody asked for lately', () => {
  it(`are ${points} a minute for one client; the next is 429 in the documented shape, and what is known is answered`, async () => {
    const client = '198.51.100.40';
    expect(await askMany(points, (index) => `amount=${200 + index}.5`, client)).toEqual(
      Array(points).fill(200),
    );
    const refused = await ask('amount=999.5', client);
    expect(refused.status).toBe(429);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(refused.body).toEqual({ code: 'RATE_LIMITED', message: expect.any(String), retryAfter });
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused.headers.get('x-ratelimit-limit')).toBe(String(points));
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    const known = [
      '',
      'amount=200.5',
      'amount=229.5000000',
      'sort=speed&amount=210.5',
      'deliveryMethod=cash',
    ];
    for (const query of known) expect((await ask(query, client)).status).toBe(200);
    // Another client has its own points, and the amount it asks for becomes known for the first one, too.
    expect((await ask('amount=999.5', '198.51.100.41')).status).toBe(200);
    const last = await ask('amount=999.5', client);
    expect([last.status, last.headers.get('x-ratelimit-limit')]).toEqual([200, '90']);
  });

  it('are counted however the request varies: payouts asked for, delivery methods and spellings', async () => {
    const variations = [
      (index: number) => `receive=${300_000 + index}`,
      (index: number) => `amount=${400 + index}.25&deliveryMethod=Cash`,
    ];
    for (const [place, queryOf] of variations.entries()) {
      const statuses = await askMany(points + 1, queryOf, `198.51.100.${50 + place}`);
      expect(statuses).toEqual([...Array(points).fill(200), 429]);
    }
    // Other spellings and parameter orders denote the same amount.
    const spelled = ['amount=777.7', 'amount=777.70', 'amount=777.7000000', 'amount=777.7&sort=score'];
    await askMany(points - 1, (index) => `amount=${500 + index}.125`, '198.51.100.52');
    const statuses = await askMany(spelled.length, (index) => spelled[index] ?? '', '198.51.100.52');
    expect(statuses).toEqual(spelled.map(() => 200));
    expect((await ask('amount=777.75', '198.51.100.52')).status).toBe(429);
  });

  it('are counted once where they are asked for again before the anchors have answered', async () => {
    const client = '198.51.100.60';
    for (let index = 0; index < points; index += 1) {
      const query = `amount=${600 + index}.75`;
      const answers = await Promise.all([ask(query, client), ask(query, client)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    }
    expect((await ask('amount=699.75', client)).status).toBe(429);
  });
});
