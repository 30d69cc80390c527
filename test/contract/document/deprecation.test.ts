import { describe, expect, it } from '@jest/globals';
import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import type { Deprecation } from '../../../contract/deprecation.js';
import { describeRoute } from '../../../contract/describe-route.js';
import { buildDocument } from '../../../scripts/openapi/document.js';

const c = initContract();

function routeOf(operationId: string, deprecated?: Deprecation) {
  return describeRoute({
    method: 'GET',
    path: `/api/${operationId}/:id`,
    operationId,
    tag: 'corridors',
    access: 'internal',
    limit: 'default',
    cache: 'etag',
    ...(deprecated === undefined ? {} : { deprecated }),
    summary: 'Read one thing',
    description: 'Reads one thing, of which there is nothing else to say.',
    pathParams: z.object({ id: z.string() }),
    query: z.object({}).strict(),
    responses: { 200: z.object({ id: z.string() }) },
  });
}

function documentOf(deprecated: Deprecation, other?: Deprecation) {
  const contract = c.router({ old: routeOf('old', deprecated), current: routeOf('current', other) });
  const example = { params: { id: 'a' }, answer: { id: 'a' } };
  return buildDocument(contract, { old: example, current: example }, {}, { version: '1.0.0' });
}

const sound: Deprecation = { since: '2027-01-01', sunset: '2027-07-01', successor: 'current' };

describe('a deprecated route', () => {
  const document = documentOf(sound);
  const { old, current } = {
    old: document.paths['/api/old/{id}']?.get,
    current: document.paths['/api/current/{id}']?.get,
  };

  it('says so in the document, with its days and its successor', () => {
    expect(old?.deprecated).toBe(true);
    expect(old?.description).toMatch(
      /^\*\*Deprecated since 2027-01-01\*\*, and gone from 2027-07-01 at the earliest; use `current` instead\./,
    );
    expect(current).not.toHaveProperty('deprecated');
  });

  it('declares its three headers on every answer but those before it is reached', () => {
    for (const [status, response] of Object.entries(old?.responses ?? {})) {
      if (status === 'default') continue;
      const shared = '$ref' in response ? (response.$ref.split('/').pop() ?? '') : undefined;
      const answer = shared === undefined ? response : document.components.responses[shared];
      const headers = answer !== undefined && 'headers' in answer ? answer.headers : undefined;
      expect([status, Object.keys(headers ?? {})]).toEqual([
        status,
        expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
      ]);
    }
    expect(Object.keys(old?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '304', '401', '429', '503']),
    );
  });

  it('leaves the errors of other routes without them', () => {
    const refs = JSON.stringify(current?.responses);
    expect(refs).not.toContain('Deprecated');
    expect(JSON.stringify(document.components.responses.RateLimited?.headers)).not.toContain('Sunset');
  });
});

describe('the document is not written', () => {
  it.each<[string, Deprecation, string, Deprecation | undefined]>([
    [
      'a day that is none',
      { ...sound, since: '2027-02-30' },
      'old: 2027-02-30 is no day of the form 2027-01-31',
      undefined,
    ],
    [
      'a sunset too soon',
      { ...sound, sunset: '2027-06-29' },
      'old: stays for 179 days; 180 are promised',
      undefined,
    ],
    [
      'an unknown successor',
      { ...sound, successor: 'none' },
      'old: its successor none is no operation',
      undefined,
    ],
    [
      'a successor that is deprecated itself',
      sound,
      'old: its successor current is deprecated, too',
      { since: '2027-01-01', sunset: '2028-01-01' },
    ],
  ])('with %s', (_what, deprecated, fault, other) => {
    expect(() => documentOf(deprecated, other)).toThrow(fault);
  });
});
