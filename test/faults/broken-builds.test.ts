import { expect, it } from '@jest/globals';
import * as builds from '../fixtures/faults/broken-builds.js';
import { changedFiles } from '../fixtures/faults/make-build.js';

it.each(Object.values(builds))('$name can still be made of the present source', (build) => {
  expect(changedFiles(build).size).toBeGreaterThan(0);
});

it('a replacement whose text is gone fails with the file and the text', () => {
  const replacements = [{ file: 'server/main.ts', text: 'no such text', by: '' }];
  expect(() => changedFiles({ name: 'nothing', replacements })).toThrow(
    'nothing: server/main.ts does not hold exactly once what is replaced there:\nno such text',
  );
});
