import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { createLogger } from '../../../server/logger.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import { type DeliveryFixtureOptions, secret, until } from '../../fixtures/webhooks/delivery-fixture.js';
import type { Receiver } from '../../fixtures/webhooks/receiver.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { open: openFixture, receiver } = closedAfterEach(uri);
const webhookKey = 'a1'.repeat(32);

const open = (to: Receiver, options: Partial<DeliveryFixtureOptions> = {}) =>
  openFixture({ allow: [to.origin], ...options });

/** The real logger at its most verbose level, writing to memory. */
function capturedLog() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { logger: createLogger({ level: 'debug', destination }), lines };
}

describe('a secret that cannot be opened', () => {
  it('makes deliveries wait without counting attempts, and is logged once, until the key is there', async () => {
    const to = await receiver();
    const owner = await open(to, { webhookKey });
    await owner.clear();
    const { id } = await owner.register(to.origin);
    await owner.emitTicks(1);

    for (const wrong of [{ webhookKey: 'b2'.repeat(32) }, {}]) {
      const { logger, lines } = capturedLog();
      const stranger = await open(to, { ...wrong, logger });
      const errors = () => lines.filter((line) => line.includes('"level":"error"'));
      await stranger.deliveries.work();
      await until(() => errors().length > 0);
      for (let look = 0; look < 3; look += 1) await stranger.deliveries.work();
      await stranger.stop();
      expect(errors()).toHaveLength(1);
      expect(lines.join('')).toContain('WEBHOOK_KEY is not the key');
    }
    expect(to.received).toEqual([]);
    expect(await owner.deliveriesOf(id)).toMatchObject([{ state: 'pending', attempts: [] }]);

    await owner.deliverAllDue();
    const { body, headers } = to.received[0] ?? { body: '', headers: {} };
    verifyWebhook({ body, headers, secret });
  });
});

describe('without a key', () => {
  it('a line in the log says that everybody knows the one which stands in', async () => {
    const to = await receiver();
    const { logger, lines } = capturedLog();
    const fixture = await open(to, { logger });
    fixture.start();
    expect(lines.join('')).toContain('WEBHOOK_KEY is not set');
  });
});
