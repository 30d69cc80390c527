import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { contract } from '../../contract/index.js';
import { endpointCases } from '../../scripts/bench/capacity/endpoints.js';
import { createMessageReader, type WireMessage } from '../../scripts/bench/capacity/wire-messages.js';
import { listRoutes } from '../../server/http/route-table.js';

const page = readFileSync(new URL('../../docs/capacity.md', import.meta.url), 'utf8');
const operationIds = listRoutes(contract).map(({ metadata }) => metadata.operationId);

/** The first cell of each row of the table under a heading. */
function rowsUnder(heading: string): string[] {
  const [, after = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const cells = [...section.matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell.replaceAll('`', ''));
  return cells.slice(1);
}

/** Every collection that a schema of the server names. */
function collectionsOfTheServer(): string[] {
  const root = fileURLToPath(new URL('../../server/', import.meta.url));
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  return files.flatMap((name) =>
    [...readFileSync(join(root, name), 'utf8').matchAll(/\bcollection: '(\w+)'/g)].map(
      ([, found = '']) => found,
    ),
  );
}

describe('the figures of capacity', () => {
  it('are measured for every endpoint of the contract, and for nothing else', () => {
    expect(Object.keys(endpointCases).sort()).toEqual([...operationIds].sort());
    for (const cases of Object.values(endpointCases)) expect(cases.length).toBeGreaterThan(0);
  });

  it('are on the page for every endpoint in every state that is measured', () => {
    const measured = Object.entries(endpointCases).flatMap(([operationId, cases]) =>
      cases.map(({ state }) => (state === '' ? operationId : `${operationId}: ${state}`)),
    );
    expect(rowsUnder('What one request costs')).toEqual(measured);
  });

  it('name a shard key, or say that there is none, for every collection of the server', () => {
    const collections = collectionsOfTheServer();
    expect(collections.length).toBeGreaterThan(20);
    expect(rowsUnder('Shard keys').sort()).toEqual(collections.sort());
  });
});

describe('the reader of what passes between the service and MongoDB', () => {
  function message(document: object, { id = 7, flags = 0 } = {}): Buffer {
    const body = mongo.BSON.serialize(document);
    const head = Buffer.alloc(21);
    head.writeInt32LE(head.length + body.length, 0);
    head.writeInt32LE(id, 4);
    head.writeInt32LE(2_013, 12);
    head.writeInt32LE(flags, 16);
    return Buffer.concat([head, body]);
  }

  function read(...parts: Buffer[]): WireMessage[] {
    const messages: WireMessage[] = [];
    const take = createMessageReader((each) => messages.push(each));
    for (const part of parts) take(part);
    return messages;
  }

  it('names a command by its collection, also where a cursor is continued', () => {
    const find = { find: 'intents', filter: {}, $db: 'bench' };
    const more = { getMore: new mongo.Long(12), collection: 'outbox', $db: 'bench' };
    const commit = { commitTransaction: 1, $db: 'admin' };
    const named = read(Buffer.concat([find, more, commit].map((each) => message(each))));
    expect(named.map(({ command }) => command)).toEqual([
      'find intents',
      'getMore outbox',
      'commitTransaction',
    ]);
  });

  it('puts a message together that arrives byte by byte, and counts its bytes once', () => {
    const whole = message({ insert: 'intents' }, { flags: 2 });
    const messages = read(...[...whole].map((byte) => Buffer.from([byte])));
    expect(messages).toEqual([
      { id: 7, answers: 0, bytes: whole.length, moreToCome: true, command: 'insert intents' },
    ]);
  });

  it('refuses what no message can be, rather than wait for it for ever', () => {
    expect(() => read(Buffer.alloc(16))).toThrow('no message of MongoDB has 0 bytes');
  });
});
