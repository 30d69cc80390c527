import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { testDatabase } from '../support/database.js';
import { runProgram } from '../support/run-program.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const database = testDatabase();
const { PATH = '' } = process.env;

function fairlead(args: string[], env: Record<string, string> = {}) {
  const program = ['--import', 'tsx', 'server/cli.ts', ...args];
  return runProgram(process.execPath, program, { cwd: project, env: { PATH, ...env } });
}

/** The commands, with arguments that they take. */
const commands: Record<string, string[]> = {
  migrate: [],
  rebuild: [],
  erase: ['ab'.repeat(32)],
  'take-batches': [],
  'pause-webhooks': [],
};

describe('the program of the operator', () => {
  it.each([['--help'], ['help']])('lists its commands: %s', async (asked) => {
    const { status, stdout, stderr } = await fairlead([asked]);
    expect([status, stderr]).toEqual([0, '']);
    const listed = [...stdout.matchAll(/^ {2}(\S+) {2}/gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(commands));
  });

  it.each(Object.keys(commands))(
    'shows the help of %s, which names a heading that exists, and does nothing else',
    async (name) => {
      const { status, stdout, stderr } = await fairlead([name, '--help']);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`Usage: fairlead ${name}`);
      const [, page = '', heading] = /See (\S+), "(.+)"\.\n$/.exec(stdout) ?? [];
      expect(readFileSync(join(project, page), 'utf8')).toContain(`\n## ${heading}\n`);
    },
  );

  it.each([
    ['no command', [], 'Usage: fairlead <command>'],
    ['an unknown command', ['erode'], 'There is no command erode.'],
    ['an unknown option', ['pause-webhooks', '--dry-run'], '--dry-run'],
    ['an argument too many', ['migrate', 'now'], 'now'],
    ['no database', ['rebuild'], 'MONGODB_URI'],
  ])('changes nothing and ends with 2 where it is given %s', async (_what, args, says) => {
    const { status, stdout, stderr } = await fairlead(args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});

describe('a mistyped database', () => {
  it.each(Object.entries(commands))('is named and left as it is: %s', async (name, args) => {
    const client = await mongo.MongoClient.connect(database.uri);
    await client
      .db()
      .createCollection('invoices')
      .catch(() => undefined);
    const env = { MONGODB_URI: database.uri, FLEET_FILE: 'fleets/mainnet.example.json' };
    const { status, stdout, stderr } = await fairlead([name, ...args], env);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${client.db().databaseName} at 127.0.0.1:`);
    expect(stderr).toContain('it holds invoices.');
    expect(await client.db().listCollections().toArray()).toHaveLength(1);
    await client.close();
  });
});
