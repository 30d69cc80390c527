import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import type { Command } from '../../server/commands/command.js';
import { erase } from '../../server/commands/erase.js';
import { migrate, pauseWebhooks, rebuild } from '../../server/commands/maintenance.js';
import { takeBatches } from '../../server/commands/take-batches.js';
import { runFairlead } from '../support/compiled-service.js';
import { testDatabase } from '../support/database.js';
import { expectFor } from '../support/expect-for.js';

const database = testDatabase();
const mistyped = { MONGODB_URI: database.uri, FLEET_FILE: 'fleets/mainnet.example.json' };
const everyCommand: [name: string, command: Command, args: string[]][] = [
  ['migrate', migrate, []],
  ['rebuild', rebuild, []],
  ['erase', erase, ['ab'.repeat(32)]],
  ['take-batches', takeBatches, []],
  ['pause-webhooks', pauseWebhooks, []],
];

describe('the program of the operator', () => {
  it('lists its commands, and shows the help of one, without doing anything', async () => {
    const [all, one] = await Promise.all([runFairlead(['--help']), runFairlead(['erase', '--help'])]);
    for (const { status, stderr } of [all, one]) expect([status, stderr]).toEqual([0, '']);
    const listed = [...all.stdout.matchAll(/^ {2}(\S+) {2}/gm)].map(([, name]) => name);
    expect(listed).toEqual(everyCommand.map(([name]) => name));
    expect(one.stdout).toMatch(/^Usage: fairlead erase .+\n\n.+\nSee .+\.\n$/);
  });

  it.each(everyCommand)('names a heading that exists in the help of %s', (_name, { guide }) => {
    const [, page = '', heading] = /^(\S+), "(.+)"$/.exec(guide) ?? [];
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
    expect(text).toContain(`\n## ${heading}\n`);
  });

  it('changes nothing and ends with 2 where it is not told what to do, and to which database', async () => {
    const rows: [args: string[], env: Record<string, string>, says: string][] = [
      [[], {}, 'Usage: fairlead <command>'],
      [['erode'], {}, 'There is no command erode.'],
      [['pause-webhooks', '--dry-run'], mistyped, '--dry-run'],
      [['rebuild'], {}, 'MONGODB_URI'],
    ];
    const ended = await Promise.all(rows.map(([args, env]) => runFairlead(args, env)));
    for (const [index, [, , says]] of rows.entries())
      expect(ended[index]).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(says) });
  });
});

it('every command names a mistyped database, leaves it as it is, and ends with 2', async () => {
  const client = await mongo.MongoClient.connect(database.uri);
  await client.db().createCollection('invoices');
  const says = new RegExp(`${database.name} at 127\\.0\\.0\\.1:.* it holds invoices\\.`);
  Object.assign(process.env, mistyped);
  for (const [name, command, args] of everyCommand) {
    await expectFor(name, command.run(args)).rejects.toThrow(says);
    expectFor(name, await client.db().listCollections().toArray()).toHaveLength(1);
  }
  const { status, stdout, stderr } = await runFairlead(['rebuild'], mistyped);
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(says)]);
  await client.close();
});
