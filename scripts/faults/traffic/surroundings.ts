import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '../../../server/ports.js';
import { startBalancer } from '../../lib/balancer.js';
import { StartedParts } from '../../lib/started-parts.js';
import { type ReferenceOracle, startReferenceOracle } from '../../reference-oracle/index.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../simulated-anchors/index.js';
import { type SimulatedLedger, startSimulatedLedger } from '../../simulated-ledger/index.js';
import type { Target } from '../ports.js';
import { type Receivers, startReceivers } from './receivers.js';

export interface SurroundingsOptions {
  random: Random;
  clock: Clock;
  /** For fleet and state files; the caller keeps the folder of a failed run. */
  folder: string;
}

/** The parts around the service that are not broken: anchors, ledger, oracle, receivers of webhooks. */
export interface TrafficSurroundings {
  /** Environment of every service process: FLEET_FILE, FX_URL, LEDGER_RPC_URL, ORACLE_URL, OUTBOUND_ALLOW, … */
  env: Readonly<Record<string, string>>;
  anchors: SimulatedAnchors;
  ledger: SimulatedLedger;
  oracle: ReferenceOracle;
  receivers: Receivers;
  /** The one address of the service, at which anchors call back: from now on they reach its instances. */
  serve(target: Target): void;
  /** From now on, the oracle and the receivers answer correctly and at once. */
  calm(): void;
  stop(): Promise<void>;
}

/** Anchors of the corridor in which the wallets of the traffic sell; all speak SEP-24 and granted a partner token. */
export const anchorIds = ['harbour', 'squall', 'galleon'] as const;
export const corridor = 'usdc-ngn';

/** Settlements that take minutes in the profiles take seconds. */
const pace = 0.02;
const tickMs = 250;

/** Anchors that settle within seconds, a ledger, an oracle that loses some answers, and receivers of webhooks. */
export async function startSurroundings(options: SurroundingsOptions): Promise<TrafficSurroundings> {
  const { random, clock, folder } = options;
  const parts = new StartedParts((line) => console.error(line));
  try {
    const ledger = await parts.add('the ledger', startSimulatedLedger({ clock }));
    const fleet = { clock, random, ledger, anchors: [...anchorIds], pace, tickMs, latencyFactor: 0.2 };
    const anchors = await parts.add('the anchors', startSimulatedAnchors(fleet));
    // One anchor is flaky; none is down for minutes, which would look like a fault of the service.
    for (const anchor of anchors.anchors) anchor.setProfile({ outage: null });
    anchors.anchor('squall').setProfile({ faults: { error500: 0.05, html: 0.03, hang: 0 } });
    const oracleFile = join(folder, 'oracle.jsonl');
    const oracle = await parts.add('the oracle', startReferenceOracle({ clock, stateFile: oracleFile }));
    oracle.behaveAlways(() => {
      const chance = random();
      if (chance < 0.06) return chance < 0.03 ? 'lose' : 'fail';
      return chance < 0.09 ? { lateMs: 1_500 } : 'honest';
    });
    const receivers = await parts.add('the receivers', startReceivers({ random }));
    let target: Target | undefined;
    const ports = () => (target?.urls() ?? []).map((url) => Number(new URL(url).port));
    const front = await parts.add('the front', startBalancer(ports));
    const fleetFile = join(folder, 'fleet.json');
    await writeFile(fleetFile, JSON.stringify(anchors.fleet));

    return {
      anchors,
      ledger,
      oracle,
      receivers,
      env: {
        ...anchors.env,
        FLEET_FILE: fleetFile,
        FX_URL: anchors.fxUrl,
        FX_SOURCE: 'simulated market',
        LEDGER_RPC_URL: ledger.rpcUrl,
        HORIZON_URL: ledger.horizonUrl,
        ORACLE_URL: oracle.url,
        OUTBOUND_ALLOW: [...anchors.allow, receivers.origin].join(','),
        PUBLIC_URL: front.url,
        TRUST_PROXY: '127.0.0.0/8',
        WEBHOOK_KEY: keyOf('webhooks'),
        PUBLISHER_SECRET_KEY: keyOf('publisher'),
        // In production, a failure has a day of grace; here, it has seconds.
        FAILURE_GRACE_SECONDS: '5',
      },
      serve(instances) {
        target = instances;
      },
      calm() {
        oracle.behaveAlways(() => 'honest');
        receivers.calm();
      },
      stop: () => parts.stop(),
    };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/** Secret to nobody: 64 hex digits for a service that lives for some minutes on loopback. */
function keyOf(purpose: string): string {
  return createHash('sha256').update(`fairlead faults ${purpose}`).digest('hex');
}
