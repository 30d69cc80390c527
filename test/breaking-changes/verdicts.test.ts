import { describe, expect, it } from '@jest/globals';
import { findBreaks } from '../../scripts/breaking-changes/document-changes.rules.js';
import type { OpenApi } from '../../scripts/breaking-changes/document-parts.rules.js';
import { whereOf } from '../../scripts/breaking-changes/gate.rules.js';
import { operationPairs, sample } from './operation-pairs.js';
import { documentWith, schemaPairs } from './schema-pairs.js';

function sentences(before: OpenApi, after: OpenApi): string[] {
  return findBreaks(before, after).map((one) => `${whereOf(one)} ${one.sentence}`);
}

const places = [
  ['request', 'makeThing: request body /value'],
  ['answer', 'makeThing: answer 200 /value'],
  ['event', 'onThingMade: event /value'],
] as const;

describe.each(schemaPairs)('$title', ({ before, after, request, answer }) => {
  it.each(places)('is judged right in a %s', (place, where) => {
    const sentence = place === 'request' ? request : answer;
    expect(before).not.toEqual(after);
    expect(sentences(documentWith(place, before), documentWith(place, after))).toEqual(
      sentence === undefined ? [] : [`${where}${sentence}`],
    );
  });
});

describe.each(operationPairs)('$title', ({ change, breaks, back }) => {
  const [before, after] = [sample(), sample()];
  change(after);

  it('is judged right', () => {
    expect(before.document).not.toEqual(after.document);
    expectFirst(sentences(before.document, after.document), breaks);
  });

  it('is judged right the other way round', () => {
    expectFirst(sentences(after.document, before.document), back);
  });
});

/** A success that moved to another status is reported as removed and as new; the first sentence is the one to check. */
function expectFirst(found: readonly string[], sentence: string | undefined): void {
  expect(found[0]).toBe(sentence);
}

describe('a document', () => {
  it('is no break of itself, recursive schemas included', () => {
    const list = { type: 'object', properties: { next: { $ref: '#/components/schemas/List' } } };
    const document = {
      ...documentWith('answer', { $ref: '#/components/schemas/List' }),
      components: { schemas: { List: list } },
    };
    expect(sentences(document, structuredClone(document))).toEqual([]);
  });

  it('names the shared schema in which something broke', () => {
    const documentOf = (type: string): OpenApi => ({
      ...documentWith('answer', { $ref: '#/components/schemas/Thing' }),
      components: { schemas: { Thing: { type: 'object', properties: { size: { type } } } } },
    });
    expect(findBreaks(documentOf('integer'), documentOf('string'))).toEqual([
      {
        operationId: 'makeThing',
        place: 'answer 200 /value/size',
        schema: 'Thing/size',
        sentence: 'may be a value of type string now',
      },
    ]);
  });

  it.each([
    ['a keyword of a schema', documentWith('answer', { contains: {} } as object), /no rule for "contains"/],
    ['a member of an operation', withCallbacks(), /no rule for "callbacks" of a operation/],
  ])('is refused where it has %s that nobody wrote a rule for', (_what, document, message) => {
    expect(() => findBreaks(document, document)).toThrow(message);
  });
});

function withCallbacks(): OpenApi {
  const { document, get } = sample();
  Object.assign(get, { callbacks: {} });
  return document;
}
