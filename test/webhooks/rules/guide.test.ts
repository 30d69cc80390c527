import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { eventNames } from '../../../contract/schemas/events.js';
import vectors from '../../../contract/vectors/webhook.json' with { type: 'json' };
import { attemptsGranted } from '../../../server/webhooks/delivery.rules.js';
import { deliveryHeaders } from '../../../server/webhooks/signed-headers.js';
import { itWhere, python3 } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

const guide = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
const receivers = readFileSync(new URL('../../../docs/guides/webhook-receivers.md', import.meta.url), 'utf8');
const python = /```python\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';

/** Runs the guide's own function over deliveries given as JSON, and prints one line with the result of each. */
const callTheGuide = `
import sys
for given in json.load(sys.stdin):
    try:
        event = verify_webhook(
            given["body"].encode(), given["headers"], given["secrets"], now=given["now"]
        )
        print("accepted " + event["id"])
    except ValueError as error:
        print("refused: " + str(error))
`;

interface Given {
  body: string;
  headers: Record<string, string>;
  secrets: string[];
  now: number;
}

function run(given: readonly Given[]): string[] {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', python + callTheGuide], {
    input: JSON.stringify(given),
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout.trim().split('\n');
}

const lower = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

describe("the guide's function in Python", () => {
  const itInPython = itWhere(python3, "no python3: the Python function of the webhooks' guide");
  const genuine = vectors.cases.map(({ body, headers, secret }) => ({
    body,
    headers: lower(headers),
    secrets: [secret],
    now: Number(headers['webhook-timestamp']) + 299,
  }));

  itInPython('accepts every vector of the contract package, also beside another secret', () => {
    const both = genuine.map((one) => ({ ...one, secrets: ['another secret', ...one.secrets] }));
    const ids = genuine.map(({ headers }) => `accepted ${headers['webhook-id']}`);
    expect(run([...genuine, ...both])).toEqual([...ids, ...ids]);
  });

  itInPython(
    'refuses another body, secret, id or time, a missing header, and what is too old or too new',
    () => {
      const [first] = genuine;
      if (first === undefined) throw new Error('there are no vectors');
      const { headers, now } = first;
      const without = (name: string) => ({
        ...first,
        headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
      });
      const broken: Given[] = [
        { ...first, body: `${first.body} ` },
        { ...first, secrets: ['another secret'] },
        { ...first, headers: { ...headers, 'webhook-id': 'evt_0123456789abcdef' } },
        { ...first, headers: { ...headers, 'webhook-timestamp': String(now) } },
        { ...first, headers: { ...headers, 'x-fairlead-signature': 'é' } },
        { ...first, now: now + 2 },
        { ...first, now: now - 900 },
        without('x-fairlead-signature'),
        without('webhook-id'),
        without('webhook-timestamp'),
        without('webhook-signature'),
      ];
      for (const line of run(broken)) expect(line).toMatch(/^refused: /);
    },
  );
});

describe('the receiver of docs/guides/webhook-receivers.md', () => {
  const secret = 'the-secret-of-the-guide';
  const body = vectors.cases[0]?.body ?? '';
  const eventId = String(JSON.parse(body).id);
  const printed = /```ts receiver\n([\s\S]*?)```/.exec(receivers)?.[1] ?? '';
  const storing = 'await writeFile(';
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairlead-guide-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts the receiver on a free port. */
  async function start(source: string, WEBHOOK_SECRETS: string) {
    const listening = `listen(0, '127.0.0.1', function () { console.log('port', this.address().port); })`;
    const printedListening = "listen(9099, '127.0.0.1')";
    expect(source).toContain(printedListening);
    writeFileSync(join(folder, 'receiver.ts'), source.replace(printedListening, listening));
    await build({
      entryPoints: [join(folder, 'receiver.ts')],
      outfile: join(folder, 'receiver.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: { '@fairlead/contract': fileURLToPath(new URL('../../../contract/index.ts', import.meta.url)) },
      nodePaths: [fileURLToPath(new URL('../../../node_modules', import.meta.url))],
      logLevel: 'silent',
    });
    const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRETS },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      said.out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said.err += chunk.toString();
    });
    return { child, said };
  }

  /** Runs the receiver while `act` posts to it, and returns all that it has written. */
  async function whileItRuns(
    source: string,
    act: (
      post: (secrets: string[], ageSeconds: number) => Promise<number>,
      running: { url: string; said: { out: string; err: string } },
    ) => Promise<void>,
  ): Promise<{ out: string; err: string }> {
    const { child, said } = await start(source, secret);
    try {
      while (!said.out.includes('port')) await once(child.stdout, 'data');
      const url = `http://127.0.0.1:${/port (\d+)/.exec(said.out)?.[1]}/`;
      const post = async (secrets: string[], ageSeconds: number) => {
        const timestampSeconds = Math.floor(Date.now() / 1_000) - ageSeconds;
        const signed = { eventId, body, test: false, secrets, timestampSeconds };
        const headers = deliveryHeaders({ event: 'intent.settled', ...signed });
        return (await fetch(url, { method: 'POST', body, headers })).status;
      };
      await act(post, { url, said });
    } finally {
      const closed = once(child, 'close');
      child.kill();
      await closed;
    }
    return said;
  }

  it('stores and acknowledges a genuine, recent delivery, and answers 401 to any other', async () => {
    const { err } = await whileItRuns(printed, async (post, { url }) => {
      expect(await post([secret], 0)).toBe(204);
      expect(await post([`${secret}.`], 0)).toBe(401);
      expect(await post([secret], 600)).toBe(401);
      expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
    });
    expect(readdirSync(join(folder, 'inbox'))).toEqual([`${eventId}.json`]);
    expect(readFileSync(join(folder, 'inbox', `${eventId}.json`), 'utf8')).toBe(body);
    expect(err).toBe('');
  });

  it('answers 503 and logs why where the event cannot be stored, so that it is sent again', async () => {
    expect(printed).toContain(storing);
    const full = printed.replace(storing, "throw new Error('the disk is full'); await writeFile(");
    const { err } = await whileItRuns(full, async (post, { said }) => {
      expect(await post([secret], 0)).toBe(503);
      expect(await post([`${secret}.`], 0)).toBe(401);
      expect(await post([secret], 0)).toBe(503);
      // It is written after the answer.
      await waitFor(() => expect(said.err.match(/^Error: the disk is full/gm)).toHaveLength(2));
    });
    expect(err).not.toContain('ERR_HTTP_HEADERS_SENT');
  });

  it('does not start without a secret, and says so', async () => {
    const { child, said } = await start(printed, '');
    try {
      const [code] = await once(child, 'close', { signal: AbortSignal.timeout(30_000) });
      expect(code).toBe(1);
      expect(said.err).toContain('WEBHOOK_SECRETS must be');
      expect(said.out).toBe('');
    } finally {
      child.kill();
    }
  });
});

describe('the guide', () => {
  it('names every event and the number of attempts', () => {
    for (const name of eventNames) expect(guide).toContain(`| \`${name}\` |`);
    expect(attemptsGranted).toBe(4);
    expect(guide).toContain('**Four attempts');
  });
});
