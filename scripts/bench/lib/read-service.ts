import { type BenchContext, benchCronSecret, type ServiceProcess } from './bench.js';
import { type AskedLoad, createMeasure, type Measured, type MeasureLoad, type Target } from './measure.js';

export interface ReadBench {
  mongoUri: string;
  service: ServiceProcess;
  measure: MeasureLoad;
  /**
   * Opens a window of each of many clients at the service. What it returns measures loads of these clients: up to six of them
   * take no more points than the service has drawn for each.
   */
  openWindows(path: string): Promise<MeasureHeld>;
  /** Another process of the service on the same database. */
  startAnother(): Promise<ServiceProcess>;
}

/** The paths of cached public reads that the benches ask for. */
export const ratesPath = '/api/rates/usdc-ngn';
export const scoresPath = '/v1/public/scores';
export const publisherHealthPath = '/api/publisher/health';

/** Enough for each to stay within its limits, and within its first draw, at any rate that one process answers. */
export const returningClients = { kind: 'returning', count: 20_000 } as const;
/** The service holds the windows of 50,000. */
const heldClients = { kind: 'returning', count: 40_000 } as const;

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
  const openWindows = async (path: string): Promise<MeasureHeld> => {
    const request = { path };
    await measure(service, { request, clients: heldClients, seconds: 0.1 });
    const clients = { ...heldClients, known: true };
    return (target, load) => measure(target, { request, clients, warmUpSeconds: 0.3, ...load });
  };
  return { mongoUri: mongod.uri, service, measure, openWindows, startAnother };
}
