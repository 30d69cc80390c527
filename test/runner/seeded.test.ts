import { expect, it } from '@jest/globals';
import { seeded } from '../support/seeded.js';

it('one seed always gives the same numbers, another one others, all from 0 to below 1', () => {
  const numbers = (seed: number) => Array.from({ length: 1_000 }, seeded(seed));
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  expect(numbers(7).every((each) => each >= 0 && each < 1)).toBe(true);
  const mean = numbers(7).reduce((sum, each) => sum + each, 0) / 1_000;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
});
