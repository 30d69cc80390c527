import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { publicKeyOf } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import type { Recorded, RecordedIntent } from './intents/recorded.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { medianOf, microseconds, ms, perSecond, ratio, significant } from './lib/figures.js';
import { linesInTurns } from './lib/in-turns.js';
import { clientAddresses, fire, forwardedFor, type LoadResult } from './lib/load.js';
import { type Program, processCpuMs } from './lib/program.js';

const rounds = 5;
const connections = 32;
/** Half of the registrations that a client may send per minute. */
const intentsOfClient = 10;
const recordedIntents = 200;
const commands = ['aggregate', 'find', 'findAndModify', 'insert', 'update', 'bulkWrite'];

/** Processor time per intent in microseconds, and commands that mongod was sent per intent. */
interface Figures extends LoadResult {
  cpu: number;
  mongodCpu: number;
  loadCpu: number;
  commands: number;
}

/** `POST /api/intent/offramp` beside a bare loop that draws from the limit and inserts the same documents. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const service = await context.startService({
    ...anchors.env,
    MONGODB_URI: mongod.uri,
    // Nobody pays: the places of unpaid intents must not run out.
  });
  const client = await new mongo.MongoClient(mongod.uri).connect();
  context.onEnd('connection of the bench', () => client.close());
  const seconds = context.seconds / 3;
  const register = createRegister(`${service.url}/api/intent/offramp`);

  await register(seconds, intentsOfClient);
  const file = join(context.folder, 'recorded-intents.json');
  const recorded: Recorded = {
    ...(await record(client.db())),
    uri: mongod.uri,
    concurrency: connections,
    seconds,
  };
  await writeFile(file, mongo.BSON.EJSON.stringify(recorded, { relaxed: false }));
  const bare = await context.startProgram('scripts/bench/intents/bare', { args: [file] });
  await bare.ready();

  const measure = async (program: Program, load: () => Promise<LoadResult>): Promise<Figures> => {
    const readings = () =>
      Promise.all([program.cpuMs(), processCpuMs(mongod.pid), process.cpuUsage(), commandsOf(client.db())]);
    const before = await readings();
    const result = await load();
    const after = await readings();
    const of = (spentMs: number) => (spentMs * 1_000) / result.requests;
    const own = (reading: NodeJS.CpuUsage) => (reading.user + reading.system) / 1_000;
    return {
      ...result,
      cpu: of(after[0] - before[0]),
      mongodCpu: of(after[1] - before[1]),
      loadCpu: of(own(after[2]) - own(before[2])),
      commands: (after[3] - before[3]) / result.requests,
    };
  };
  const loop = (question: string) => () =>
    measure(bare, async () => (await bare.ask(question)) as LoadResult);
  const lines = [
    { what: bareDraw, measure: loop('draw') },
    { what: bareInsert, measure: loop('insert') },
    {
      what: 'this service, each time a new client',
      measure: () => measure(service, () => register(seconds, 1)),
    },
    {
      what: `this service, ${intentsOfClient} times the same client`,
      measure: () => measure(service, () => register(seconds, intentsOfClient)),
    },
  ];
  return toRows(await linesInTurns(rounds, lines));
}

const bareDraw = 'bare loop: draw and insert';
const bareInsert = 'bare loop: insert alone';

/** Registers intents that nobody has sent before; every answer must be a 201. */
function createRegister(url: string) {
  const account = encodePublicKey(publicKeyOf(randomBytes(32)));
  let registered = 0;
  return (seconds: number, intentsOfClient: number): Promise<LoadResult> =>
    fire({
      url,
      method: 'POST',
      seconds,
      connections,
      headers: { 'content-type': 'application/json' },
      expect: 201,
      next: () => {
        // Returning and new clients use separate addresses.
        const client = (intentsOfClient === 1 ? 0 : 1 << 23) + Math.floor(registered / intentsOfClient);
        registered += 1;
        return {
          ...forwardedFor(clientAddresses(client, 1)[0] ?? ''),
          body: JSON.stringify({
            corridor: 'usdc-ngn',
            anchorId: 'harbour',
            account,
            sellAmount: '100',
            nonce: randomBytes(24).toString('base64url'),
          }),
        };
      },
    });
}

async function record(database: mongo.Db): Promise<Pick<Recorded, 'documents' | 'indexes'>> {
  const intents = database.collection<RecordedIntent>('intents');
  const indexes = (await intents.indexes()).filter(({ name }) => name !== '_id_');
  return {
    documents: await intents.find().limit(recordedIntents).toArray(),
    indexes: indexes.map(({ v: _, ...index }) => index as mongo.IndexDescription),
  };
}

/** How many commands that read or write mongod was sent since its start. */
async function commandsOf(database: mongo.Db): Promise<number> {
  const { metrics } = await database.admin().serverStatus();
  return commands.reduce((sum, command) => sum + Number(metrics.commands[command]?.total ?? 0), 0);
}

function toRows(measured: readonly { what: string; results: readonly Figures[] }[]): BenchRow[] {
  const median = (what: string, pick: (figures: Figures) => number) =>
    medianOf(measured.find((each) => each.what === what)?.results ?? [], pick);
  const together = ({ cpu, mongodCpu }: Figures) => cpu + mongodCpu;
  return measured.map(({ what }) => {
    const of = (pick: (figures: Figures) => number) => median(what, pick);
    const rate = (each: Figures) => each.perSecond;
    return {
      table: `intents registered, ${connections} at a time`,
      what,
      figures: {
        intents: perSecond(of(rate)),
        'of draw and insert': ratio(of(rate), median(bareDraw, rate)),
        'of insert alone': ratio(of(rate), median(bareInsert, rate)),
        p50: ms(of((each) => each.p50Ms)),
        p99: ms(of((each) => each.p99Ms)),
        processor: microseconds(of((each) => each.cpu)),
        mongod: microseconds(of((each) => each.mongodCpu)),
        'both, of draw and insert': ratio(of(together), median(bareDraw, together)),
        'load generator': microseconds(of((each) => each.loadCpu)),
        commands: significant(of((each) => each.commands)),
      },
    };
  });
}
