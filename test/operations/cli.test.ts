import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { runFairlead } from '../support/compiled-service.js';
import { testDatabase } from '../support/database.js';

const database = testDatabase();

/** The commands, with arguments that they take. */
const commands: Record<string, string[]> = {
  migrate: [],
  rebuild: [],
  erase: ['ab'.repeat(32)],
  'take-batches': [],
  'pause-webhooks': [],
};
const names = Object.keys(commands);

describe('the program of the operator', () => {
  it('lists its commands', async () => {
    for (const { status, stdout, stderr } of await Promise.all(
      [['--help'], ['help']].map((asked) => runFairlead(asked)),
    )) {
      expect([status, stderr]).toEqual([0, '']);
      expect([...stdout.matchAll(/^ {2}(\S+) {2}/gm)].map(([, name]) => name)).toEqual(names);
    }
  });

  it.each(names)(
    'shows the help of %s, which names a heading that exists, and does nothing else',
    async (name) => {
      const { status, stdout, stderr } = await runFairlead([name, '--help']);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`Usage: fairlead ${name}`);
      const [, page = '', heading] = /See (\S+), "(.+)"\.\n$/.exec(stdout) ?? [];
      const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
      expect(text).toContain(`\n## ${heading}\n`);
    },
  );

  it.each([
    ['no command', [], 'Usage: fairlead <command>'],
    ['an unknown command', ['erode'], 'There is no command erode.'],
    ['an unknown option', ['pause-webhooks', '--dry-run'], '--dry-run'],
    ['an argument too many', ['migrate', 'now'], 'now'],
    ['no database', ['rebuild'], 'MONGODB_URI'],
  ])('changes nothing and ends with 2 where it is given %s', async (_what, args, says) => {
    const { status, stdout, stderr } = await runFairlead(args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});

it('every command names a mistyped database, and leaves it as it is', async () => {
  const client = await mongo.MongoClient.connect(database.uri);
  await client.db().createCollection('invoices');
  const env = { MONGODB_URI: database.uri, FLEET_FILE: 'fleets/mainnet.example.json' };
  for (const [name, args] of Object.entries(commands)) {
    const { status, stdout, stderr } = await runFairlead([name, ...args], env);
    expect([name, status, stdout]).toEqual([name, 2, '']);
    expect(stderr).toContain(`${client.db().databaseName} at 127.0.0.1:`);
    expect(stderr).toContain('it holds invoices.');
    expect(await client.db().listCollections().toArray()).toHaveLength(1);
  }
  await client.close();
});
