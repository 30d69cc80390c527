import { randomBytes } from 'node:crypto';
import { type EndpointCases, each, reads, same } from '../cases.js';
import { anchorId, corridor } from '../world.js';

const samples = 500;
const slotMs = 900_000;
const stream = {
  method: 'GET',
  path: `/api/rates/${corridor}/stream`,
  expect: [200],
  isStream: true,
} as const;

/** An amount that hardly anybody has asked for before, within the bounds of the corridor. */
const newAmount = () =>
  `${20 + (randomBytes(4).readUInt32BE() % 900)}.${100 + (randomBytes(2).readUInt16BE() % 900)}`;

export const readCases: EndpointCases = {
  getRates: [
    ...reads(`/api/rates/${corridor}`),
    {
      state: 'a new amount',
      requests: 10,
      prepare: each(() => ({
        method: 'GET',
        path: `/api/rates/${corridor}?amount=${newAmount()}`,
        expect: [200],
      })),
      // The pause keeps within the anchors' call budgets.
      beforeEach: () => new Promise((resolve) => setTimeout(resolve, 250)),
    },
  ],
  streamRates: [{ state: 'opened, first answer', requests: 40, prepare: same(stream) }],
  getRateHistory: [
    {
      state: 'a page of 100 samples, first read',
      requests: 10,
      async prepare({ connection }, requests) {
        const collection = connection.collection<{ _id: string; corridor: string; at: Date }>('rate_samples');
        const sample = await untilThere(() => collection.findOne({ corridor }));
        const last = Math.floor(sample.at.getTime() / slotMs) * slotMs;
        const earlier = Array.from({ length: samples }, (_, number) => {
          const slot = new Date(last - (number + 1) * slotMs);
          return {
            ...sample,
            _id: `${corridor} ${slot.toISOString()}`,
            at: new Date(slot.getTime() + 2_000),
          };
        });
        await collection.insertMany(earlier);
        const to = (number: number) => new Date(last - (number + 1) * slotMs).toISOString();
        const from = new Date(last - (samples + 1) * slotMs).toISOString();
        return Array.from({ length: requests }, (_, number) => ({
          method: 'GET',
          path: `/api/rates/${corridor}/history?limit=100&from=${from}&to=${to(number)}`,
          expect: [200],
        }));
      },
    },
    {
      state: 'the default page',
      requests: 40,
      prepare: same({ method: 'GET', path: `/api/rates/${corridor}/history`, expect: [200] }),
    },
  ],
  listCorridors: [
    ...reads('/api/corridors'),
    {
      state: 'kept, each from a new client',
      requests: 200,
      fromNewClients: true,
      prepare: same({ method: 'GET', path: '/api/corridors', expect: [200] }),
    },
  ],
  listAnchors: reads('/api/anchors'),
  getAnchor: reads(`/api/anchors/${anchorId}`),
  getObservations: reads(`/api/anchors/${anchorId}/observations`),
  getSnapshot: reads('/api/snapshot'),
  getLeaderboard: reads('/api/reputation/leaderboard'),
  getReputation: reads(`/api/reputation/${anchorId}`),
  getReputationHistory: reads(`/api/reputation/${anchorId}/history`),
  getPublicScores: reads('/v1/public/scores'),
  getPublisherHealth: reads('/api/publisher/health'),
  listBatches: reads('/api/publisher/batches'),
  getBatch: reads('/api/publisher/batches/1'),
  listBatchEntries: reads('/api/publisher/batches/1/entries'),
  proveBatchEntry: reads(`/api/publisher/batches/1/proof?anchor=${anchorId}&corridor=${corridor}`),
};

/** Waits for something that the service does by itself a few seconds after its start. */
async function untilThere<T>(find: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await find();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no sample of the rates was taken in 30 s');
}
