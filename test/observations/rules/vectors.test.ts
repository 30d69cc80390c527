import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { outcomeOf, outcomeOfInfo } from '../../../server/features/observations/observation.rules.js';

interface Outcome {
  name: string;
  status: number;
  text: string;
  missing: boolean;
  outcome: string;
}

const file = new URL('../../vectors/observations.json', import.meta.url);
const { outcomes }: { outcomes: Outcome[] } = JSON.parse(readFileSync(file, 'utf8'));

const received = (status: number, text: string) => ({
  status,
  body: Buffer.from(text),
  json: text.startsWith('{') ? JSON.parse(text) : undefined,
});

describe('an answer is judged', () => {
  it.each(outcomes.map((each) => [each.name, each] as const))(
    '%s',
    (_name, { status, text, missing, outcome }) => {
      expect(outcomeOf(received(status, text), { missing })).toBe(outcome);
    },
  );
});

it.each([
  ['sep24', '{"withdraw":{"USDC":{"enabled":true}}}', 'answered'],
  ['sep6', '{"deposit":{}}', 'malformed'],
  ['sep38', '{"assets":[]}', 'answered'],
  ['sep38', '{"withdraw":{}}', 'malformed'],
  ['sep24', '<!doctype html>', 'not_json'],
] as const)('/info of %s with %s is %s', (service, text, outcome) => {
  expect(outcomeOfInfo(service, received(200, text))).toBe(outcome);
});

it('a quote server need not have an /info, and a transfer server must', () => {
  expect(outcomeOfInfo('sep38', received(404, ''))).toBe('answered');
  expect(outcomeOfInfo('sep24', received(404, ''))).toBe('error');
});
