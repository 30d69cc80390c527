import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient, type TestClient } from './answers.js';
import { type TestApp, testCronSecret } from './app.js';
import { waitFor } from './wait-for.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const preload = new URL('../../scripts/lib/shifted-clock.mjs', import.meta.url).href;

/** The real program in a process of its own, on a machine whose clock is wrong. */
export interface WrongClockInstance {
  url: string;
  client: TestClient;
  /** The levels of its log lines about the machine's clock, in order. */
  clockLines(): string[];
  ready(): Promise<{ status: number; body: { warnings?: string[]; message?: string } }>;
  metric(name: RegExp): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the program with the fleet, secrets and database of `app`. */
export async function startWithWrongClock(app: TestApp, shiftMs: number): Promise<WrongClockInstance> {
  const { config, simulated } = app;
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', preload, 'server/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      MONGODB_URI: config.mongodbUri,
      FLEET_FILE: config.fleetFile,
      PORT: '0',
      CRON_SECRET: testCronSecret,
      TRUST_PROXY: '127.0.0.0/8',
      OUTBOUND_ALLOW: simulated.allow.join(','),
      FX_URL: simulated.fxUrl,
      FX_SOURCE: 'simulated market',
      SCHEDULER: 'on',
      LOG_LEVEL: 'info',
      SHIFT_CLOCK_MS: String(shiftMs),
      ...simulated.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  const lines = () =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as { level: string; msg: string; url?: string });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  try {
    const listening = waitFor(
      () => {
        const said = lines().find(({ msg }) => msg === 'listening')?.url;
        if (said === undefined) throw new Error(`it does not listen:\n${output}`);
        return said;
      },
      { timeout: 60_000, interval: 100 },
    );
    const failed = ended.then(() => Promise.reject(new Error(`it ended:\n${output}`)));
    failed.catch(() => undefined);
    const url = await Promise.race([listening, failed]);
    return {
      url,
      client: createClient(url),
      clockLines: () =>
        lines()
          .filter(({ msg }) => msg.startsWith('the clock of this machine'))
          .map(({ level }) => level),
      async ready() {
        const answer = await fetch(`${url}/readyz`);
        return { status: answer.status, body: (await answer.json()) as { warnings?: string[] } };
      },
      async metric(name) {
        const text = await (await fetch(`${url}/metrics`)).text();
        const line = text.split('\n').find((each) => name.test(each));
        return line === undefined ? Number.NaN : Number(line.split(' ').at(-1));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
