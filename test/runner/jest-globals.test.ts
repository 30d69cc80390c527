import { describe, expect, it } from '@jest/globals';
import { provideJest, it as shared } from '../support/jest-globals.js';

describe('what a shared module took of the globals of Jest', () => {
  it('belongs to the file that runs, down to its parts, also if another file ran when it was taken', () => {
    const calls: string[] = [];
    const jestOf = (file: string) => {
      const each = () => () => calls.push(`${file} skip.each`);
      const skip = Object.assign(() => calls.push(`${file} skip`), { each });
      return { it: Object.assign(() => calls.push(`${file} it`), { skip }) };
    };
    const own = provideJest(jestOf('first'));
    const { skip: later } = shared;
    const { each } = later;
    provideJest(jestOf('second'));
    later('a title', () => undefined);
    each([1])('a title', () => undefined);
    provideJest(own);
    expect(calls).toEqual(['second skip', 'second skip.each']);
  });
});
