import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Keypair } from '@stellar/stellar-base';
import { freePort } from '../../../scripts/lib/loopback-server.js';
import type { SimulatedWallet } from '../../../scripts/simulated-wallets/off-ramp.js';
import { pythonTools } from '../../support/installed-tools.js';
import { runProgram } from '../../support/run-program.js';
import { waitFor } from '../../support/wait-for.js';

const project = fileURLToPath(new URL('./project/', import.meta.url));

/** A Python that has Polaris; undefined where no Python 3 can be set up, or no package registry is reachable. */
export async function installPolaris(): Promise<string | undefined> {
  const folder = await pythonTools('polaris', new URL('./requirements.txt', import.meta.url));
  return folder === undefined ? undefined : join(folder, 'bin/python');
}

export interface PolarisAnchor {
  origin: string;
  /** The account that withdrawals are paid to. */
  distributionAccount: string;
  /** The output of its processes, for failures. */
  log(): string;
  stop(): void;
}

/** A Polaris anchor on loopback with a database of its own: the server, the watcher of the ledger, and the payer. */
export async function startPolaris(
  python: string,
  of: { horizonUrl: string; networkPassphrase: string; issuer: string },
): Promise<PolarisAnchor> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-polaris-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const distribution = Keypair.random();
  const env = {
    ...process.env,
    DATABASE_FILE: join(folder, 'polaris.sqlite'),
    HOST_URL: origin,
    HORIZON_URI: of.horizonUrl,
    STELLAR_NETWORK_PASSPHRASE: of.networkPassphrase,
    SIGNING_SEED: Keypair.random().secret(),
    SERVER_JWT_KEY: 'a key of a test, at least 32 bytes long',
    ACTIVE_SEPS: 'sep-1,sep-6,sep-10,sep-24,sep-38',
    LOCAL_MODE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'a');
  const manage = async (...args: string[]) => {
    const { status, stderr } = await runProgram(python, ['manage.py', ...args], { cwd: project, env });
    if (status !== 0) throw new Error(`${args[0]} failed: ${stderr}`);
  };
  await manage('migrate');
  await manage('create_asset', of.issuer, distribution.secret());
  const spawned = (...args: string[]): ChildProcess =>
    spawn(python, ['manage.py', ...args], { cwd: project, env, stdio: ['ignore', log, log] });
  const running = [
    spawned('runserver', '--noreload', '--insecure', `127.0.0.1:${port}`),
    spawned('watch_transactions'),
    spawned('execute_outgoing_transactions', '--loop', '--interval', '1'),
  ];
  function stop(): void {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    await waitFor(() => fetch(`${origin}/sep24/info`), { timeout: 60_000, interval: 200 });
  } catch (error) {
    const said = readFileSync(logFile, 'utf8');
    stop();
    throw new Error(`Polaris does not answer: ${said}`, { cause: error });
  }
  const output = () => readFileSync(logFile, 'utf8');
  return { origin, distributionAccount: distribution.publicKey(), log: output, stop };
}

/** SEP-10: the anchor's token for an account. */
export async function signIn(origin: string, wallet: SimulatedWallet): Promise<string> {
  const endpoint = `${origin}/auth`;
  const asked = await fetch(`${endpoint}?account=${wallet.account}`);
  const challenge = (await asked.json()) as { transaction: string; network_passphrase: string };
  const { signedTxXdr: transaction } = await wallet.signTransaction(challenge.transaction, {
    networkPassphrase: challenge.network_passphrase,
    address: wallet.account,
  });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ transaction }) });
  return ((await answer.json()) as { token: string }).token;
}

/** Opens the form, fills in the amount and sends it, as a person does. */
export async function completeForm(url: string, amount: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(page) ?? [];
  if (action === '') throw new Error(`no form: ${page.slice(0, 2_000)}`);
  const target = new URL(action.replaceAll('&amp;', '&'), url);
  const answer = await fetch(target, { method: 'POST', body: new URLSearchParams({ amount }) });
  if (!answer.ok) throw new Error(`the form was refused: ${(await answer.text()).slice(0, 2_000)}`);
}
