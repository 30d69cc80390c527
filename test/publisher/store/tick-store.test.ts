import { expect, it } from '@jest/globals';
import { createPublisherStore } from '../../../server/features/publisher/store.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { publisherTests } from '../../fixtures/publisher/publisher.js';
import { testDatabase } from '../../support/database.js';

const tests = publisherTests(testDatabase());

it('what is noted before the first tick is kept, and counts as no failure', async () => {
  const { connection, publisher } = await tests.open();
  const inTransaction = createInTransaction(connection);
  const { ticks } = createPublisherStore(connection);
  await inTransaction((session) => ticks.noteAttempt(session, 'begun'));
  expect(await ticks.read()).toMatchObject({ attempt: 'begun', log: null });
  await inTransaction((session) => ticks.forgetAttempt(session));
  await inTransaction((session) => ticks.noteLog(session, 'whole'));
  expect(await ticks.read()).toMatchObject({ attempt: null, log: 'whole' });
  expect(await publisher.health()).toMatchObject({ status: 'idle', consecutiveFailures: 0, lastTick: null });
});

it('what is noted first in an empty database is kept, too', async () => {
  const { connection } = await tests.open();
  const { ticks } = createPublisherStore(connection);
  await createInTransaction(connection)((session) => ticks.noteLog(session, 'whole'));
  expect(await ticks.read()).toMatchObject({ log: 'whole' });
});
