import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { eventNames } from '../../../contract/schemas/events.js';
import vectors from '../../../contract/vectors/webhook.json' with { type: 'json' };
import { attemptsGranted } from '../../../server/deliveries/attempts.rules.js';
import { deliveryHeaders } from '../../../server/deliveries/signed-headers.js';
import { itWhere, python3 } from '../../support/it-where.js';

const guide = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
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

describe("the guide's receiver in TypeScript", () => {
  it('prints and acknowledges a genuine, recent delivery, and answers 401 to any other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-guide-'));
    const source = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const listening = `listen(0, '127.0.0.1', function () { console.log('port', this.address().port); })`;
    expect(source).toContain('listen(3000)');
    writeFileSync(join(folder, 'receiver.ts'), source.replace('listen(3000)', listening));
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
    const secret = 'the secret of the guide';
    const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      env: { ...process.env, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
      while (!printed.includes('port')) await once(child.stdout, 'data');
      const url = `http://127.0.0.1:${/port (\d+)/.exec(printed)?.[1]}/`;
      const body = vectors.cases[0]?.body ?? '';
      const eventId = String(JSON.parse(body).id);
      const post = (secrets: string[], timestampSeconds: number) =>
        fetch(url, {
          method: 'POST',
          body,
          headers: deliveryHeaders({
            event: 'intent.settled',
            eventId,
            body,
            test: false,
            secrets,
            timestampSeconds,
          }),
        });
      const nowSeconds = Math.floor(Date.now() / 1_000);
      expect((await post([secret], nowSeconds)).status).toBe(204);
      expect((await post([`${secret}.`], nowSeconds)).status).toBe(401);
      expect((await post([secret], nowSeconds - 600)).status).toBe(401);
      expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
      expect(printed.match(new RegExp(eventId, 'g'))).toHaveLength(1);
    } finally {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
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
