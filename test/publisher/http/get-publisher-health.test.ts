import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import type { PublicScores } from '../../../contract/schemas/reputation.js';
import { publisherFixture } from '../../fixtures/publisher/publisher-over-http.js';
import { reputationHttpFixture } from '../../fixtures/reputation/reputation-over-http.js';
import { waitFor } from '../../support/wait-for.js';

const path = '/api/publisher/health';

const fixture = await publisherFixture({
  PUBLISHER_OLD_KEYS: '3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29',
});

const keyless = await reputationHttpFixture();

describe('200', () => {
  it('reports the health of the publisher, to be asked for again after a second, and lists current and old keys', async () => {
    const batch = await fixture.publish();
    const { status, body, headers } = await fixture.get<PublisherHealth>(path);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('private, max-age=1');
    expect(body).toMatchObject({
      status: 'ok',
      reason: null,
      latest: { sequence: 1, root: batch.header.root },
      lastSubmission: { sequence: 1 },
      pending: 0,
      consecutiveFailures: 0,
    });
    expect(body.keys.map(({ current }) => current)).toEqual([true, false]);
  });

  it('has its own limit, and names it in the headers', async () => {
    const { points } = rateLimitClasses.publisherHealth;
    const { headers } = await fixture.get(path);
    expect(headers.get('x-ratelimit-limit')).toBe(String(points));
    expect(headers.get('x-ratelimit-remaining')).toBe(String(points - 1));
  });
});

describe('200 after the database was restored from a backup', () => {
  it('is failing with log_behind, and the metric says that nothing is published', async () => {
    const first = await fixture.publish();
    await fixture.publish();
    await fixture.app.connection
      .collection('batches')
      .deleteMany({ _id: { $gt: first.header.sequence } } as never);
    const { body: tick } = await fixture.tick();
    expect(tick).toMatchObject({ result: 'held', failure: 'log_behind', made: [], batch: null });
    const { status, body } = await fixture.get<PublisherHealth>(path);
    expect(status).toBe(200);
    const latest = { sequence: first.header.sequence };
    expect(body).toMatchObject({ status: 'failing', reason: 'log_behind', latest, pending: 0 });
    const scores = await fixture.get<PublicScores>('/v1/public/scores');
    expect(scores.body).toMatchObject({ batch: latest, standsStillSince: tick.startedAt });
    await waitFor(
      async () => {
        const metrics = await (await fetch(`${fixture.app.url}/metrics`)).text();
        expect(/^fairlead_publisher_log_held (\d)$/m.exec(metrics)?.[1]).toBe('1');
      },
      { timeout: 15_000, interval: 500 },
    );
  });
});

it('200 without a publisher key: is idle and gives the reason', async () => {
  const { status, body } = await keyless.get<PublisherHealth>(path);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'idle', reason: 'no_key', keys: [], oracle: false });
});

it('400 for an unknown query parameter', async () => {
  expect((await fixture.get(`${path}?full=1`)).status).toBe(400);
});
