import { expect, it } from '@jest/globals';
import { fittingStreams } from '../../../server/http/descriptors.js';
import { silentLogger } from '../../support/silent-logger.js';

const warnings: string[] = [];
const logger = { ...silentLogger, warn: (_fields: object, message: string) => void warnings.push(message) };

it('streams may hold half of the connections where nobody says otherwise', () => {
  expect(fittingStreams(undefined, 1_000, logger)).toBe(500);
  expect(warnings).toEqual([]);
});

it('a tenth of the connections is kept for requests, and the log says so', () => {
  expect(fittingStreams(900, 1_000, logger)).toBe(900);
  expect(warnings).toEqual([]);
  expect(fittingStreams(901, 1_000, logger)).toBe(900);
  expect(warnings).toEqual([
    'MAX_STREAMS is lowered to 900: of 1000 connections a tenth is kept for requests',
  ]);
});
