import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { operationOf } from '../../web/src/data/operation-of.js';

const { paths } = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, unknown>>;
};
/** The paths of operations that the page never calls: it neither manages webhooks or the cache nor runs jobs. */
const notOfPage = /webhooks|cache|refresh|reconcile|round|tick/;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  notOfPage.test(path) ? [] : Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
);

describe('the operation of an address', () => {
  it.each(operations)('$method $path is told from every other one', ({ path, method }) => {
    const template = path.replace(/\{\w+\}/g, ':');
    expect(operationOf(method, path.replace(/\{\w+\}/g, '0000000042'))).toBe(`${method} ${template}`);
  });

  it('is the same for every corridor, anchor and batch', () => {
    expect(operationOf('GET', '/api/rates/usdc-ngn')).toBe(operationOf('GET', '/api/rates/usdc-kes'));
    expect(operationOf('GET', '/api/publisher/batches/12/proof')).toBe('GET /api/publisher/batches/:/proof');
  });
});
