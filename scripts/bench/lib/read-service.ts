import type { RateLimitClass } from '../../../contract/rate-limits.js';
import { type BenchContext, benchCronSecret, type ServiceProcess } from './bench.js';
import { type AskedLoad, createMeasure, type Measured, type MeasureLoad, type Target } from './measure.js';

export interface ReadBench {
  mongoUri: string;
  service: ServiceProcess;
  measure: MeasureLoad;
  /**
   * Opens a window of each of many clients at the service, and uses it until half of the limit is drawn at once and held.
   * What it returns measures loads of these clients. Their windows last for a minute.
   */
  openWindows(path: string, limit: RateLimitClass): Promise<MeasureHeld>;
  /** Another process of the service on the same database. */
  startAnother(): Promise<ServiceProcess>;
}

/** The paths of cached public reads that the benches ask for. */
export const ratesPath = '/api/rates/usdc-ngn';
export const scoresPath = '/v1/public/scores';
export const publisherHealthPath = '/api/publisher/health';

/** Enough for each to stay within its limits, and within its first draw, at any rate that one process answers. */
export const returningClients = { kind: 'returning', count: 20_000 } as const;
/** So many that few of them draw again before the measurement ends, and so few that all of them draw in some 15 s. */
const heldClients = { kind: 'returning', count: 6_000 } as const;

export type MeasureHeld = (
  target: Target,
  load: { seconds: number } & Partial<AskedLoad>,
) => Promise<Measured>;

/** A service after its first refresh, before which the leaderboard and the scores are empty, and a generator of load. */
export async function startReadBench(context: BenchContext): Promise<ReadBench> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const startAnother = () => context.startService({ ...anchors.env, MONGODB_URI: mongod.uri });
  const service = await startAnother();
  const answer = await fetch(`${service.url}/api/reputation/refresh`, {
    method: 'POST',
    headers: { authorization: `Bearer ${benchCronSecret}` },
  });
  if (answer.status !== 200) throw new Error(`the refresh answered ${answer.status}`);
  const measure = createMeasure(await context.startLoadGenerator(), mongod.pid);
  const openWindows = async (path: string, limit: RateLimitClass): Promise<MeasureHeld> => {
    const request = { path };
    // Each draw is twice as large as the one before. A client that has used the first two, and one point more, holds the rest of the third.
    const visits = 3 * Math.floor(limit.points / 8) + 1;
    await measure(service, { request, clients: { ...heldClients, visits }, warmUpSeconds: 0, seconds: 0.01 });
    const clients = { ...heldClients, visits: 0 };
    return (target, load) => measure(target, { request, clients, warmUpSeconds: 0.1, ...load });
  };
  return { mongoUri: mongod.uri, service, measure, openWindows, startAnother };
}
