import { expect, it } from '@jest/globals';
import { Schema } from 'mongoose';
import { watchChanges } from '../../../server/mongo/change-streams.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testConnection } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const connection = await testConnection({ monitored: true });
/** Cursors that were closed at the database. */
let killed = 0;
const rows = new Schema({ n: Number }, { collection: 'rows', versionKey: false });

connection.getClient().on('commandStarted', ({ commandName }) => {
  if (commandName === 'killCursors') killed += 1;
});
connection.model('Row', rows);
await prepareCollections(connection);

function watched() {
  const seen: string[] = [];
  const stream = watchChanges({
    model: connection.model('Row'),
    pipeline: [],
    onOpen: () => seen.push('open'),
    onChange: () => seen.push('change'),
    logger: silentLogger,
  });
  return { seen, stream };
}

it('says that it is open before anything can be missed, tells each change, and nothing while it is stopped', async () => {
  const { seen, stream } = watched();
  stream.start();
  stream.start();
  await waitFor(() => expect(seen).toEqual(['open']));
  await connection.model('Row').create([{ n: 1 }, { n: 2 }]);
  await waitFor(() => expect(seen).toEqual(['open', 'change', 'change']));
  await stream.stop();
  expect(killed).toBe(1);
  const other = watched();
  other.stream.start();
  await waitFor(() => expect(other.seen).toEqual(['open']));
  await connection.model('Row').create({ n: 4 });
  await waitFor(() => expect(other.seen).toEqual(['open', 'change']));
  stream.start();
  await waitFor(() => expect(seen).toEqual(['open', 'change', 'change', 'open']));
  await Promise.all([stream.stop(), other.stream.stop()]);
});

it('is opened afresh after it was invalidated, and says so, so that what was missed is read', async () => {
  const { seen, stream } = watched();
  stream.start();
  await waitFor(() => expect(seen).toEqual(['open']));
  await connection.collection('rows').drop();
  await waitFor(() => expect(seen.filter((each) => each === 'open')).toHaveLength(2));
  const before = seen.length;
  await connection.model('Row').create({ n: 3 });
  await waitFor(() => expect(seen.slice(before)).toEqual(['change']));
  await stream.stop();
});
