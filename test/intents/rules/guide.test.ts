import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import {
  createIntentBody,
  outcomeCounts,
  outcomeReasons,
  transactionProblems,
  uncountedReasons,
} from '../../../contract/schemas/intents.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';

const guide = readFileSync(new URL('../../../docs/intents.md', import.meta.url), 'utf8');

it('docs/intents.md shows a body that is accepted, and its hash', () => {
  const body = createIntentBody.parse(JSON.parse(/```json\n(.*?)```/s.exec(guide)?.[1] ?? ''));
  expect(guide).toContain(`\`${intentHash(body)}\``);
});

it('docs/intents.md explains every reason, every problem and every member of the body', () => {
  const names = [
    ...Object.keys(outcomeReasons),
    ...Object.keys(uncountedReasons),
    ...Object.keys(outcomeCounts),
    ...Object.keys(transactionProblems),
    ...Object.keys(createIntentBody.shape),
  ];
  expect(
    names.filter((name) => !guide.includes(`| \`${name}\``) && !guide.includes(`\`${name}\` |`)),
  ).toEqual([]);
});
