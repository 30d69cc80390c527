import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type RateLimitClass, rateLimitClasses } from '../../contract/rate-limits.js';
import { operations } from './operations.js';

interface Row extends RateLimitClass {
  method: string;
  path: string;
}

const table: { endpoints: Row[]; default: RateLimitClass } = JSON.parse(
  readFileSync(new URL('../vectors/limits.json', import.meta.url), 'utf8'),
);

describe('the limits of the interface specification', () => {
  it.each(operations)('%s has the limit of the table', (_id, { route, metadata }) => {
    const row = table.endpoints.find(({ method, path }) => method === route.method && path === route.path);
    const { points, windowSeconds, key } = row ?? table.default;
    expect(rateLimitClasses[metadata.limit]).toEqual({ points, windowSeconds, key });
  });

  it('are those of the rates class for the rates, and not of the default', () => {
    const rates = operations.find(([, { route }]) => route.path === '/api/rates/:corridor');
    expect(rates?.[1].metadata.limit).toBe('rates');
    expect(table.endpoints.some(({ path }) => path === '/api/rates/:corridor')).toBe(true);
  });
});
