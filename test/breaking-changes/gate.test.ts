import { describe, expect, it } from '@jest/globals';
import type { OpenApi } from '../../scripts/breaking-changes/document-parts.rules.js';
import { breaksPage, judge, latestOf, majorOf } from '../../scripts/breaking-changes/gate.rules.js';
import { lastRelease, verdictOf } from '../../scripts/breaking-changes/releases.js';
import { document } from '../support/answers/document.js';

const broken = { operationId: 'getThing', place: 'query parameter sort', sentence: 'is no longer read' };
const where = 'getThing: query parameter sort';

describe('the gate', () => {
  it.each([
    ['2.3.0', '2.3.1', false],
    ['2.3.0', '2.4.0', false],
    ['2.3.0', '3.0.0', true],
    ['2.3.0', '3.0.0-alpha.0', true],
    ['9.0.0', '10.0.0', true],
  ])('after %s, lets a break into %s: %s', (released, present, passes) => {
    expect(judge([broken], { released, present, accepted: [] }).passes).toBe(passes);
  });

  it('lets through what breaks nothing, and what is accepted with a reason', () => {
    const versions = { released: '2.3.0', present: '2.4.0' };
    expect(judge([], { ...versions, accepted: [] }).passes).toBe(true);
    const verdict = judge([broken], { ...versions, accepted: [{ where, reason: 'nobody could send it' }] });
    expect(verdict).toMatchObject({ passes: true, breaks: [] });
  });

  it('refuses an exception that nothing needs any more, under a new major version as well', () => {
    const accepted = [{ where, reason: 'nobody could send it' }];
    for (const present of ['2.4.0', '3.0.0'])
      expect(judge([], { released: '2.3.0', present, accepted })).toMatchObject({
        passes: false,
        idle: accepted,
      });
  });

  it('takes the highest version for the last release, by number', () => {
    expect(latestOf(['2.3.0', '10.0.0', '2.10.1', '2.9.9'])).toBe('10.0.0');
    expect(latestOf([])).toBeUndefined();
    expect(() => majorOf('next')).toThrow('next is no version');
  });

  it('lists a break of a shared schema once, with every operation', () => {
    const rows = ['getThing', 'listThings'].map((operationId) => ({
      operationId,
      place: `answer 200 /${operationId}/size`,
      schema: 'Thing/size',
      sentence: 'may be null now',
    }));
    const page = breaksPage('2.3.0', rows);
    expect(page).toContain('| `answer 200 Thing/size` | may be null now | `getThing`, `listThings` |');
  });
});

describe('the document of the last release', () => {
  it('is of the version that its name says', () => {
    const { version, document: released } = lastRelease();
    expect(released.info.version).toBe(version);
  });

  it('breaks at a removed member, a new required parameter and a lost header of the real document', () => {
    const { version, document: released } = lastRelease();
    const changed = structuredClone(document) as unknown as OpenApi;
    changed.info.version = `${majorOf(version)}.99.0`;
    delete changed.components?.schemas?.RateQuote?.properties?.rate;
    delete changed.components?.responses?.RateLimited?.headers?.['Retry-After'];
    changed.paths['/api/corridors']?.get?.parameters?.push({
      name: 'currency',
      in: 'query',
      required: true,
      schema: { type: 'string' },
    });
    expect(released.info.version).toBe(version);
    const { passes, breaks } = verdictOf(changed);
    expect(passes).toBe(false);
    const told = breaks.map((one) => `${one.operationId} ${one.place} ${one.sentence}`);
    expect(told).toEqual(
      expect.arrayContaining([
        'getRates answer 200 /quotes/[]/rate is no longer there',
        'getRates answer 429 header retry-after is no longer there',
        'listCorridors query parameter currency is new and has to be sent',
      ]),
    );
  });
});
