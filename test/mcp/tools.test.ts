import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { z } from 'zod';
import { type ErrorBody, FairleadError, UnexpectedAnswerError } from '../../contract/index.js';
import { answerSchemaOf, operationsOfContract } from '../../mcp/operations.js';
import { type Options, readOptions, UsageError } from '../../mcp/options.js';
import { createLog, createMcpServer } from '../../mcp/server.js';
import { answeredFault, thrownFault } from '../../mcp/tool-error.js';
import { createTools, toolName } from '../../mcp/tools.js';
import { successStatuses } from '../../scripts/openapi/operations.js';
import { operations as documented } from '../fixtures/contract/operations.js';
import { expectFor } from '../support/expect-for.js';

const secret = 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN';
const url = 'https://fairlead.example';
const options = (env: Record<string, string> = {}, ...args: string[]) =>
  readOptions([url, ...args], env) as Options;
const names = (given: Options) => createTools(given).map(({ definition }) => definition.name);
const everything = options({ FAIRLEAD_ADMIN_KEY: 'k', FAIRLEAD_ACCOUNT_SECRET: secret }, '--intents');
const operations = operationsOfContract();
const named = (wanted: (operation: (typeof operations)[number]) => boolean) =>
  operations.filter(wanted).map(({ metadata }) => toolName(metadata.operationId));

describe('the tools', () => {
  it('are, without a key or an option, every public read and verify_score, and none that writes', () => {
    const tools = createTools(options());
    expect(tools.map(({ definition }) => definition.name)).toEqual([
      ...named(({ route, metadata }) => metadata.access === 'public' && route.method === 'GET'),
      'verify_score',
    ]);
    expect(tools.every(({ definition }) => definition.annotations.readOnlyHint)).toBe(true);
  });

  it('grow by what each key and option is for, and by nothing else', () => {
    const added = (env: Record<string, string>, ...args: string[]) =>
      names(options(env, ...args)).filter((name) => !names(options()).includes(name));
    expect(added({}, '--intents')).toEqual(['create_intent', 'attach_transaction']);
    expect(added({ FAIRLEAD_ACCOUNT_SECRET: secret })).toEqual(['file_dispute']);
    expect(added({ FAIRLEAD_ADMIN_KEY: 'k' })).toEqual(named(({ metadata }) => metadata.access === 'admin'));
  });

  it('never ask for a secret of the user: the key of a dispute and its signature are made here', () => {
    const dispute = createTools(everything).find(({ definition }) => definition.name === 'file_dispute');
    const asked = Object.keys(dispute?.definition.inputSchema.properties ?? {});
    expect(asked).toEqual(['intentHash', 'anchorId', 'reason']);
    expect(JSON.stringify(createTools(everything).map(({ definition }) => definition))).not.toContain(secret);
  });
});

describe.each(createTools(everything).map(({ definition }) => [definition.name, definition] as const))(
  '%s',
  (name, { inputSchema, outputSchema, annotations }) => {
    it('has schemas that a validator compiles, refuses unknown arguments, and lets answers grow', () => {
      const ajv = new AjvJsonSchemaValidator();
      expect(() => ajv.getValidator(inputSchema)).not.toThrow();
      expect(() => ajv.getValidator(outputSchema)).not.toThrow();
      expect(inputSchema.additionalProperties).toBe(false);
      expect(JSON.stringify(outputSchema)).not.toContain('"additionalProperties":false');
    });

    it('is not called idempotent where the same arguments do something a second time', () => {
      const operation = operations.find(({ metadata }) => toolName(metadata.operationId) === name);
      const changes = operation !== undefined && operation.route.method !== 'GET';
      const isRepeated = changes && (operation.metadata.access === 'admin' || name === 'create_intent');
      expect(annotations.idempotentHint).toBe(!isRepeated);
    });
  },
);

describe('a fault', () => {
  it.each([
    ['a limit', 429, { retryAfter: 17 }, {}, { retry: true, retryAfterSeconds: 17 }],
    ['a service that starts', 503, {}, { 'retry-after': '3' }, { retry: true, retryAfterSeconds: 3 }],
    ['no quote, where no wait helps', 503, { unavailable: [] }, {}, { retry: false, unavailable: [] }],
    ['what will stay wrong', 404, {}, {}, { retry: false }],
  ])('of %s says whether and when to call again', (_name, status, members, headers, expected) => {
    const told = { code: 'CODE', message: 'In words.' };
    const given = { status, headers: new Headers(headers as Record<string, string>) };
    expect(answeredFault({ ...given, body: { ...told, ...members } })).toEqual({ ...told, ...expected });
  });

  const unexpected = (status: number, body: unknown) =>
    new UnexpectedAnswerError('getRates', { status, headers: new Headers(), body });

  it.each([
    ['page', '<h1>Not Found</h1>'],
    ['JSON', { code: 'of_a_proxy', message: 'In words.' }],
    ['JSON without words', { code: 'NOT_FOUND' }],
  ])("of a proxy's own %s is an unexpected answer", (_name, body) => {
    expect(thrownFault(unexpected(404, body), 'repeat')).toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });

  const lost = Object.assign(new TypeError('fetch failed'), { cause: new Error('other side closed') });
  const body = { code: 'NOT_READY', message: 'The database does not answer.' } as ErrorBody;
  const unsure = { status: 503, headers: new Headers({ 'retry-after': '2' }), body };

  it.each([
    ['a connection that broke off', lost, 'UNREACHABLE'],
    ['an answer that the database did not confirm', new FairleadError(unsure), 'NOT_READY'],
    ["a proxy's 502", unexpected(502, ''), 'UNEXPECTED_ANSWER'],
  ])('of a change that may have been made says to read first after %s', (_name, error, code) => {
    const message = expect.stringMatching(/read before you repeat/);
    expect(thrownFault(error, 'read first')).toMatchObject({ code, message, retry: false });
    expect(thrownFault(error, 'repeat')).toMatchObject({ code, retry: true });
    const asSent = expect.stringMatching(/give what `sent` has/);
    expect(thrownFault(error, 'repeat as sent')).toMatchObject({ code, message: asSent, retry: true });
  });
});

describe('the command line', () => {
  it.each([
    [[], /Give the address of one service/],
    [['fairlead.example'], /must begin with https/],
    [['ftp://fairlead.example'], /must begin with https/],
    [[url, url], /one service/],
    [['https://user:word@fairlead.example'], /no credentials/],
    [['https://:word@fairlead.example'], /no credentials/],
    [['https://fairlead.example/?a=b'], /no query/],
    [[url, '--key', 'GABC'], /--key: it must be a G… account of 56 characters/],
    [[url, '--timeout', '0'], /from 1 to 120/],
    [[url, '--writes'], /Unknown option '--writes'/],
  ])('%j is refused in a sentence', (args, message) => {
    expect(() => readOptions(args, {})).toThrow(UsageError);
    expect(() => readOptions(args, {})).toThrow(message);
  });

  it('keeps the admin key off plain http, but for this machine', () => {
    const env = { FAIRLEAD_ADMIN_KEY: 'k' };
    expect(() => readOptions(['http://fairlead.example'], env)).toThrow(/use https/);
    expect(readOptions(['http://127.0.0.1:8080/'], env)).toMatchObject({ url: 'http://127.0.0.1:8080' });
  });
});

const adminKey = 'an-admin-key-of-these-tests';

describe('a secret', () => {
  it.each([
    ['a line break', `${adminKey}\nmore`],
    ['a space', `${adminKey} more`],
    ['another letter than ASCII has', `${adminKey}é`],
  ])('that has %s is refused as an admin key without being repeated', (_what, key) => {
    const read = () => readOptions([url], { FAIRLEAD_ADMIN_KEY: key });
    expect(read).toThrow(UsageError);
    expect(read).toThrow(/FAIRLEAD_ADMIN_KEY: it must consist of visible ASCII characters/);
    expect(read).not.toThrow(new RegExp(adminKey));
  });

  it('in an error that nobody foresaw reaches neither the host nor the log', async () => {
    const lines: string[] = [];
    const log = createLog([undefined, adminKey], (line) => lines.push(line));
    const [tool] = createTools(options());
    if (tool === undefined) throw new Error('there is no tool');
    const fault = new TypeError(`invalid header value: ${adminKey}`);
    const faulty = { ...tool, run: () => Promise.reject(fault) };
    const server = createMcpServer({ version: '1.0.0', tools: [faulty], log });
    const client = new Client({ name: 'test-host', version: '1.0.0' });
    const [left, right] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(left), client.connect(right)]);

    const answered: unknown = await client.callTool({ name: tool.definition.name, arguments: {} }).then(
      (answer) => JSON.stringify(answer),
      (error: Error) => error.message,
    );
    await client.close();
    expect(answered).toMatch(/a fault of fairlead-mcp/);
    expect(answered).not.toContain(adminKey);
    expect(lines.join('\n')).toMatch(/TypeError: invalid header value: \[secret\][\s\S]*tools\.test/);
    expect(lines.join('\n')).not.toContain(adminKey);
  });
});

type Leaf = (string | number)[];

/** The places of the values inside an answer that are neither objects nor lists. */
function leavesOf(value: unknown, path: Leaf = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** A copy with one leaf changed. */
function withChangedLeaf(value: unknown, leaf: Leaf, change: (value: unknown) => unknown): unknown {
  const copy = structuredClone(value);
  // biome-ignore lint/suspicious/noExplicitAny: walks any JSON
  const parent: any = leaf.slice(0, -1).reduce((at: any, name) => at[name], copy);
  const name = leaf.at(-1) ?? '';
  parent[name] = change(parent[name]);
  return copy;
}

/** Values that a later service may have added to a list of texts or numbers. */
const laterValues: Record<string, unknown> = { string: 'added-by-a-later-service', number: 54_321 };

it('the schema of an answer takes every example, and each with a value that no list has yet', () => {
  const ajv = new AjvJsonSchemaValidator();
  const offered = new Set(names(everything));
  let lists = 0;
  for (const [operationId, { route, example }] of documented.filter(([id]) => offered.has(toolName(id)))) {
    const schema = route.responses[successStatuses(route)[0] ?? 0] as z.ZodTypeAny;
    const validate = ajv.getValidator(answerSchemaOf(schema));
    expectFor(operationId, validate(example.answer).errorMessage).toBeUndefined();
    for (const path of leavesOf(example.answer)) {
      const later = withChangedLeaf(example.answer, path, (value) => laterValues[typeof value] ?? value);
      const faults = JSON.stringify(schema.safeParse(later).error?.issues);
      if (!/"invalid_(enum_value|literal|union_discriminator)"/.test(faults)) continue;
      lists += 1;
      expectFor(`${operationId}: ${path.join('.')}`, validate(later).errorMessage).toBeUndefined();
    }
  }
  expect(lists).toBeGreaterThan(20);
});
