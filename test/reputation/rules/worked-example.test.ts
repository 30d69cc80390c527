import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Decimal } from 'decimal.js';
import { type ScoreInputs, scoreOf } from '../../../contract/verification/score.js';

const Exact = Decimal.clone({ precision: 50 });
const text = readFileSync(new URL('../../../docs/reputation.md', import.meta.url), 'utf8');
const section = text.slice(text.indexOf('### A worked example'), text.indexOf('## What counts'));
const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(section)?.[1] ?? '') as ScoreInputs & {
  score: string;
};

describe('the worked example of docs/reputation.md', () => {
  it('is what the service computes', () => {
    expect(scoreOf(example)).toBe(example.score);
  });

  it('has the intermediate values that the document shows', () => {
    const { filled, outcomes, meanShortfall, p50SettleSeconds, speedTargetSeconds } = example;
    const zSquared = new Exact('1.959963984540054').pow(2);
    const spread = zSquared.plus(new Exact(4 * filled * (outcomes - filled)).div(outcomes));
    const wilson = zSquared
      .plus(2 * filled)
      .minus(zSquared.times(spread).sqrt())
      .div(zSquared.plus(outcomes).times(2));
    const payout = new Exact(1).minus(new Exact(meanShortfall ?? 0).times(10));
    const speed = Exact.exp(
      Exact.ln(2)
        .times(-(p50SettleSeconds ?? 0))
        .div(speedTargetSeconds),
    );
    const product = wilson.times(payout).times(speed).times(100);
    const steps = [zSquared, spread, spread.sqrt(), wilson, payout, speed, product];
    const shown = [...section.matchAll(/^\|[^|]+\| ([\d.]+) \|$/gm)].map(([, value]) => value);
    expect(shown).toEqual([...steps.map((value) => value.toFixed(16, Decimal.ROUND_DOWN)), example.score]);
  });

  it('has the scores that the document names for perfect records of 30 and 300', () => {
    const perfect = { ...example, p50SettleSeconds: 0, meanShortfall: null };
    expect(text).toContain('Thirty filled of thirty give 88.64 %');
    expect(scoreOf({ ...perfect, outcomes: 30, filled: 30 })).toBe('88.64');
    expect(text).toMatch(/three hundred of three\s+hundred 98.73 %/);
    expect(scoreOf({ ...perfect, outcomes: 300, filled: 300 })).toBe('98.73');
  });
});
