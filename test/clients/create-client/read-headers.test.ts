import { describe, expect, it } from '@jest/globals';
import { readMaxAge, readRateLimit, readRetryAfter } from '../../../contract/client/read-headers.js';

const now = Date.UTC(2026, 10, 21, 9, 30, 0);
const headers = (record: Record<string, string>) => new Headers(record);

describe('readRateLimit', () => {
  const whole = {
    'X-RateLimit-Limit': '90',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1795253460',
  };

  it('reads the three headers as numbers, and Retry-After where there is one', () => {
    const read = { limit: 90, remaining: 0, resetEpochSeconds: 1_795_253_460 };
    expect(readRateLimit(headers(whole))).toEqual({ ...read, retryAfterSeconds: null });
    expect(readRateLimit(headers({ ...whole, 'Retry-After': '17' }))).toEqual({
      ...read,
      retryAfterSeconds: 17,
    });
  });

  it.each(Object.keys(whole))('is null where %s is missing or not a whole number', (name) => {
    for (const value of ['', '-1', '1.5', '1e3', 'soon', '90, 90', '9'.repeat(13)]) {
      expect(readRateLimit(headers({ ...whole, [name]: value }))).toBeNull();
    }
    const rest = Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name));
    expect(readRateLimit(headers(rest))).toBeNull();
  });
});

describe('readRetryAfter', () => {
  it.each([
    ['0', 0],
    ['86400', 86_400],
    ['Sat, 21 Nov 2026 09:30:10 GMT', 10],
    ['Sat, 21 Nov 2026 09:29:00 GMT', 0],
    ['1.5', 2],
    ['-1', null],
    ['soon 5', null],
    ['2026-11-21', null],
    ['in a while', null],
    ['', null],
  ])('%j is %j', (text, seconds) => {
    expect(readRetryAfter(headers({ 'Retry-After': text }), now)).toBe(seconds);
  });

  it('is null without the header', () => {
    expect(readRetryAfter(headers({}), now)).toBeNull();
  });
});

describe('readMaxAge', () => {
  it.each([
    ['public, max-age=5', 5],
    ['max-age=0, private', 0],
    ['no-store', null],
    ['s-maxage=9', null],
    ['max-age=soon', null],
    ['', null],
  ])('of %j is %j', (text, seconds) => {
    expect(readMaxAge(headers({ 'Cache-Control': text }))).toBe(seconds);
  });

  it('is null without the header', () => {
    expect(readMaxAge(headers({}))).toBeNull();
  });
});
