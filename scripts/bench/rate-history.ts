import type { BenchContext, BenchRow, ServiceProcess } from './lib/bench.js';
import { megabytes, percent, ratio, significant } from './lib/figures.js';
import { mostMemory } from './lib/most-memory.js';
import { type FilledYear, fillYear, storedBytes } from './rate-history/year.js';

const corridors = 20;
const anchors = 50;
const moments = 1_000;
const readers = 8;
const daysEach = 8;
const dayMs = 86_400_000;
const table = `rate history of a year, ${corridors} corridors with ${anchors} anchors each`;

/** A year of history: what it takes, whether every answer is what was stored, and what streaming days of it takes. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { signal, say } = context;
  const mongod = await context.startMongo();
  const fleet = await context.startAnchors();
  // The service creates the collections when it starts.
  const service = await context.startService({ ...fleet.env, MONGODB_URI: mongod.uri });
  say('filling a year …');
  const year = await fillYear(mongod.uri, { corridors, anchors, now: Date.now(), signal });
  const { data, indexes } = await storedBytes(mongod.uri);

  say(`reading ${moments} moments …`);
  await compareMoments(service, year);
  const warmUp = () => streamDays(service, year, { resolution: '15m', accept: 'text/csv' });
  await warmUp();
  const oneSample = await mostMemory(service.pid, () =>
    streamDays(service, year, { resolution: '1d', accept: 'application/x-ndjson' }),
  );
  const streamed: BenchRow[] = [];
  for (const accept of ['application/x-ndjson', 'text/csv']) {
    let bytes = 0;
    const rss = await mostMemory(service.pid, async () => {
      bytes = await streamDays(service, year, { resolution: '15m', accept });
    });
    streamed.push({
      table: `memory of the service (RSS, the most that was seen) while ${readers} clients stream days`,
      what: `96 samples a day as ${accept}`,
      figures: {
        RSS: megabytes(rss),
        'of that for one sample a day': ratio(rss, oneSample),
        'sent to each client': megabytes(bytes / readers),
      },
    });
  }
  return [
    {
      table,
      what: `${significant(year.samples)} samples`,
      figures: {
        'as text': megabytes(year.textBytes),
        stored: megabytes(data),
        indexes: megabytes(indexes),
        'stored, of the text': percent((data + indexes) / year.textBytes),
        'bytes a sample': significant((data + indexes) / year.samples),
        'moments read': `${moments}, each byte for byte`,
      },
    },
    ...streamed,
  ];
}

/** Any moment of the year, in any corridor. Throws at the first answer that is not, byte for byte, what was stored. */
async function compareMoments(service: ServiceProcess, year: FilledYear): Promise<void> {
  for (let count = 0; count < moments; count += 1) {
    const corridor = year.corridors[count % year.corridors.length] ?? '';
    // Spread over the year without a pattern that slots or days have.
    const at = Math.floor(year.from + (year.to - year.from) * ((count * 0.618_033_988_75) % 1));
    const url = `${service.url}/api/rates/${corridor}?asOf=${new Date(at).toISOString()}`;
    const answer = await fetch(url, { headers: clientOf(count) });
    const text = await answer.text();
    if (answer.status !== 200 || text !== year.textAt(corridor, at))
      throw new Error(`${url} answered ${answer.status}, not what was stored`);
  }
}

/** Clients that read days one after another, at the same time; resolves to the bytes of all of them. */
async function streamDays(
  { url }: ServiceProcess,
  year: FilledYear,
  { resolution, accept }: { resolution: string; accept: string },
): Promise<number> {
  const read = async (reader: number) => {
    let bytes = 0;
    for (let day = 2; day < 2 + daysEach; day += 1) {
      const date = new Date(year.to - day * dayMs).toISOString().slice(0, 10);
      const target = `${url}/api/rates/${year.corridors[reader]}/history?day=${date}&resolution=${resolution}`;
      const answer = await fetch(target, { headers: { accept, ...clientOf(reader) } });
      if (answer.status !== 200 || answer.body === null)
        throw new Error(`${target} answered ${answer.status}`);
      for await (const chunk of answer.body) bytes += (chunk as Uint8Array).length;
    }
    return bytes;
  };
  const all = await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
  return all.reduce((sum, bytes) => sum + bytes, 0);
}

/** Headers of one of enough clients that none uses up its limit. */
function clientOf(count: number) {
  return { 'x-forwarded-for': `10.7.${count % 200}.1`, 'accept-encoding': 'identity' };
}
