import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { fewestObservations, unobservedReasons } from '../../../contract/schemas/observations.js';
import { mostPrices } from '../../../server/features/observations/ask-anchor.js';

const guide = readFileSync(new URL('../../../docs/rates.md', import.meta.url), 'utf8');

it('docs/rates.md lists every reason of a null and no other, the threshold, and how many calls are made', () => {
  const table = guide.slice(guide.indexOf('| reason |')).split('\n\n')[0] ?? '';
  const reasons = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, word = '']) => word);
  expect(reasons).toEqual(Object.keys(unobservedReasons));
  expect(guide).toContain(`fewer than ${fewestObservations}:`);
  // And stellar.toml, and the /info of three servers.
  expect(guide).toContain(`${mostPrices + 4} calls to an anchor in a round`);
});
