import { describe, expect, it } from '@jest/globals';
import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../../../contract/describe-route.js';
import { errorGuidance } from '../../../contract/error-guidance.js';
import { codesByStatus, type Operation, operationsOf } from '../../../scripts/openapi/operations.js';
import { unseenAnswers, unseenExamples } from '../../../scripts/openapi/seen-answers.js';

const common = {
  tag: 'anchors',
  limit: 'default',
  summary: 'Do it',
  description: 'Made up for these tests.',
  query: z.object({}).strict(),
  responses: { 200: z.object({}) },
} as const;

const contract = initContract().router({
  readOne: describeRoute({
    ...common,
    method: 'GET',
    path: '/one',
    operationId: 'readOne',
    access: 'public',
    cache: 'etag',
    errors: ['UNKNOWN_ANCHOR'],
  }),
  readAll: describeRoute({
    ...common,
    method: 'GET',
    path: '/all',
    operationId: 'readAll',
    access: 'public',
    cache: 'etag',
  }),
  runIt: describeRoute({
    ...common,
    method: 'POST',
    path: '/run',
    body: z.object({}).strict(),
    operationId: 'runIt',
    access: 'internal',
    cache: 'no-store',
    errors: ['RUN_IN_PROGRESS'],
  }),
});

const listed = operationsOf(contract).map((operation: Operation) => ({
  operation,
  statuses: [
    200,
    ...(operation.metadata.cache === 'etag' ? [304] : []),
    ...codesByStatus(operation.metadata.errors).keys(),
  ],
}));

const own = ['readOne 200', 'readOne 404', 'readAll 200', 'runIt 200', 'runIt 409'];
const shared = [
  'readAll 304',
  'readOne 400',
  'runIt 400',
  'readAll 429',
  'runIt 500',
  'readOne 503',
  'runIt 401',
  'runIt 413',
  'runIt 415',
];

function unseen(pairs: readonly string[]): string[] {
  const seen = pairs.map((pair) => {
    const [operationId = '', status] = pair.split(' ');
    return { operationId, status: Number(status) };
  });
  return unseenAnswers(listed, seen);
}

describe('examples of errors that no test has seen', () => {
  const all = Object.entries(errorGuidance).map(([code, { example }]) => ({
    code,
    message: example.message,
  }));

  it('are none once the service has answered each in these words, with whatever numbers', () => {
    const answered = all.map(({ code, message }) => ({ code, message: message.replaceAll(/\d+/g, '7') }));
    expect(unseenExamples(answered)).toEqual([]);
  });

  it('are reported where the service has other words, or none', () => {
    const others = all.map((one) =>
      one.code === 'UNKNOWN_BATCH' ? { ...one, message: 'No such batch.' } : one,
    );
    expect(unseenExamples(others)).toEqual(['UNKNOWN_BATCH: There is no batch #.']);
    expect(unseenExamples([]).length).toBe(Object.keys(errorGuidance).length - 2);
  });
});

describe('documented answers that no test has seen', () => {
  it('are none once each own answer and one answer of each shared kind have been seen', () => {
    expect(unseen([...own, ...shared])).toEqual([]);
  });

  it.each(own)('%s is reported while unseen, because no other operation answers it', (pair) => {
    expect(unseen([...own, ...shared].filter((other) => other !== pair))).toEqual([pair]);
  });

  it.each(shared)('%s is reported while no operation has shown its kind', (pair) => {
    const missing = unseen([...own, ...shared].filter((other) => other !== pair));
    expect(missing).toHaveLength(1);
    expect(missing[0]).toMatch(new RegExp(`^any operation: ${pair.split(' ')[1]}`));
  });

  it('the 400 of a body that does not parse counts apart from the 400 of a query that does not fit', () => {
    expect(unseen([...own, ...shared].filter((pair) => pair !== 'runIt 400'))).toEqual([
      'any operation: 400 INVALID_REQUEST MALFORMED_JSON',
    ]);
  });
});
