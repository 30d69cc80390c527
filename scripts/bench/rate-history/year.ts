import { mongo } from 'mongoose';
import type { Corridor } from '../../../server/features/anchors/fleet-file.rules.js';
import { packAnswer } from '../../../server/features/rate-history/packing.js';
import { grainOf, keptMs, slotMs, startOf } from '../../../server/features/rate-history/sample.rules.js';
import { pastAnswers } from './past-answers.js';

const usdc = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const currencies = ['NGN', 'KES', 'GHS', 'ZAR', 'UGX', 'XOF', 'MXN', 'BRL', 'PHP', 'EUR'];
const dayMs = 86_400_000;
/** Answers of a corridor, two hours apart; the year repeats them in turns, since to make them takes most of the time. */
const distinct = 12;
const apartMs = 7_200_000;
/** A sample is taken some seconds after the start of its slot. */
const afterStartMs = 3_412;
const insertedAtOnce = 500;

export interface FilledYear {
  corridors: string[];
  /** The number of stored samples, and the length of their bodies as text. */
  samples: number;
  textBytes: number;
  /** The body that was stored for the slot of this instant, or, before the last 90 days, for its day. */
  textAt(corridor: string, epochMs: number): string;
  /** The earliest sample. */
  from: number;
  /** The end, after the latest sample. */
  to: number;
}

/** Fills a database with what the sampler leaves of a year that ends now: 90 days of samples, one a day before that. */
export async function fillYear(
  uri: string,
  options: { corridors: number; anchors: number; now: number; signal: AbortSignal },
): Promise<FilledYear> {
  const { now, signal } = options;
  const to = startOf('15m', now);
  const keptFrom = startOf('1d', now - keptMs) + dayMs;
  const from = startOf('1d', now) - 364 * dayMs;
  const slots: number[] = [];
  for (let at = from; at < to; at += at < keptFrom ? dayMs : slotMs) slots.push(at);
  const ids = Array.from({ length: options.corridors }, (_, index) => corridorOf(index).id);
  const texts = new Map<string, Buffer[]>();
  let textBytes = 0;
  const client = await mongo.MongoClient.connect(uri);
  try {
    const samples = client.db().collection<{ _id: string }>('rate_samples');
    for (let index = 0; index < options.corridors; index += 1) {
      const corridor = corridorOf(index);
      const answerAt = pastAnswers(corridor, options.anchors);
      const made = Array.from({ length: distinct }, (_, turn) =>
        Buffer.from(JSON.stringify(answerAt(from + turn * apartMs + afterStartMs))),
      );
      texts.set(corridor.id, made);
      const packed = await Promise.all(made.map(packAnswer));
      let previous: number | null = null;
      const documents = slots.map((slot) => {
        const at = slot + afterStartMs;
        const turn = turnOf(slot);
        const grain = grainOf(at, previous);
        previous = at;
        textBytes += made[turn]?.length ?? 0;
        const _id = `${corridor.id} ${new Date(slot).toISOString()}`;
        return { _id, corridor: corridor.id, at: new Date(at), grain, packed: packed[turn] };
      });
      for (let first = 0; first < documents.length; first += insertedAtOnce) {
        signal.throwIfAborted();
        await samples.insertMany(documents.slice(first, first + insertedAtOnce), { ordered: false });
      }
    }
  } finally {
    await client.close();
  }
  return {
    corridors: ids,
    samples: slots.length * ids.length,
    textBytes,
    from: from + afterStartMs,
    to,
    textAt(corridor, epochMs) {
      const slot = startOf(epochMs - afterStartMs < keptFrom ? '1d' : '15m', epochMs - afterStartMs);
      return String(texts.get(corridor)?.[turnOf(slot)]);
    },
  };
}

/** Neighbouring slots and days get different answers. */
function turnOf(slot: number): number {
  return (slot / slotMs + slot / dayMs - (slot % dayMs) / dayMs) % distinct;
}

function corridorOf(index: number): Corridor {
  const currency = currencies[index % currencies.length] ?? 'NGN';
  const country = `A${String.fromCharCode(65 + index)}`;
  return {
    id: `usdc-${currency}-${country}`.toLowerCase(),
    sellAsset: `stellar:USDC:${usdc}`,
    sellCode: 'USDC',
    sellIssuer: usdc,
    buyAsset: `iso4217:${currency}`,
    currency,
    payoutDecimals: currency === 'UGX' || currency === 'XOF' ? 0 : 2,
    country,
    countryMatters: true,
    referenceAmount: '100',
    min: '10',
    max: '10000',
    speedTargetSeconds: 600,
    overdueAfterSeconds: 86_400,
    quoteBandFactor: '4',
  };
}

/** The collections' size on disk, after a checkpoint. */
export async function storedBytes(uri: string): Promise<{ data: number; indexes: number }> {
  const client = await mongo.MongoClient.connect(uri);
  try {
    await client.db('admin').command({ fsync: 1 });
    const { storageSize, totalIndexSize } = await client.db().command({ collStats: 'rate_samples' });
    return { data: storageSize, indexes: totalIndexSize };
  } finally {
    await client.close();
  }
}
