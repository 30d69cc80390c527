import { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ratesExamples } from '../../../contract/examples/rates.js';
import { createRateHistory } from '../../../server/features/rate-history/service.js';
import type { SampleRange } from '../../../server/features/rate-history/store.js';

const start = Date.parse('2026-11-21T00:00:00Z');
const quarterMs = 900_000;
const instants = Array.from({ length: 96 }, (_, slot) => start + slot * quarterMs + 3_000);
const text = Buffer.from(JSON.stringify(ratesExamples.getRates.answer));

/** A day of samples that counts how many of them were read. */
function history() {
  let read = 0;
  const within = ({ from, to }: SampleRange) => instants.filter((at) => at >= from && at < to);
  const service = createRateHistory({
    store: {
      async list(range, { limit }) {
        const found = within(range).slice(0, limit);
        read += found.length;
        return found.map((at) => ({ at, text }));
      },
      listInstants: async (range) => within(range),
      hasAny: async () => true,
    },
    isServed: () => true,
    clock: () => start + 3 * 96 * quarterMs,
  });
  return { service, read: () => read };
}

describe.each(['text/csv', 'application/x-ndjson'] as const)('a day as %s', (type) => {
  it('is made only as far as its reader has read', async () => {
    const { service, read } = history();
    const { chunks } = await service.stream('usdc-ngn', { day: '2026-11-21' }, type);
    expect(read()).toBe(0);
    let release = () => {};
    const slow = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        release = done;
      },
    });
    const stream = Readable.from(chunks());
    stream.pipe(slow);
    const read1 = await settled(read);
    expect(read1).toBeLessThanOrEqual(8);
    for (let chunk = 0; chunk < 20; chunk += 1) {
      release();
      await turn();
    }
    const read2 = await settled(read);
    expect(read2).toBeGreaterThan(read1);
    expect(read2).toBeLessThanOrEqual(32);
    stream.destroy();
    expect(await settled(read)).toBe(read2);
  });

  it('holds every sample once, in order', async () => {
    const { service, read } = history();
    const { chunks } = await service.stream('usdc-ngn', { day: '2026-11-21' }, type);
    let all = '';
    for await (const chunk of chunks()) all += chunk;
    expect(read()).toBe(96);
    const lines = all.trimEnd().split(/\r?\n/);
    expect(lines).toHaveLength(type === 'text/csv' ? 1 + 3 * 96 : 96);
    if (type === 'text/csv') {
      const shown = lines.slice(1).map((line) => Date.parse(line.split(',')[0] ?? ''));
      expect([...new Set(shown)]).toEqual(instants);
    } else expect(new Set(lines)).toEqual(new Set([text.toString()]));
  });
});

/** Lets the event loop turn until nothing more is read. */
async function settled(read: () => number): Promise<number> {
  for (let before = -1; before !== read(); ) {
    before = read();
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }
  return read();
}
