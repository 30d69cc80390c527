import { type BenchContext, benchCronSecret, type ServiceProcess } from './bench.js';
import { createMeasure, type MeasureLoad } from './measure.js';

export interface ReadBench {
  mongoUri: string;
  service: ServiceProcess;
  measure: MeasureLoad;
  /** Another process of the service on the same database. */
  startAnother(): Promise<ServiceProcess>;
}

/** The paths of cached public reads that the benches ask for. */
export const ratesPath = '/api/rates/usdc-ngn';
export const scoresPath = '/v1/public/scores';
export const publisherHealthPath = '/api/publisher/health';

/** Enough for each to stay within its limits, and within its first draw, at any rate that one process answers. */
export const returningClients = { kind: 'returning', count: 20_000 } as const;
/** For a bench that reads one path more often; the service holds the windows of 50,000. */
export const manyReturningClients = { kind: 'returning', count: 40_000 } as const;

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
  return { mongoUri: mongod.uri, service, measure, startAnother };
}
