import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { build } from 'esbuild';
import { type IntentTerms, intentHash } from '../../../contract/verification/intent-hash.js';
import { type Balancer, startBalancer } from '../../../scripts/lib/balancer.js';
import { intentsFixture } from '../../fixtures/intents/intents-over-http.js';
import { findChromium, launchChromium } from '../../support/chromium.js';
import { itWhere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';
import { startPageServer } from '../package/page-server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const fixture = intentsFixture({ anchors: ['harbour'] });
const itInBrowser = itWhere(
  findChromium() !== undefined,
  'no Chromium found (set CHROMIUM_PATH): streams in a page',
);
let balancer: Balancer;

beforeAll(async () => {
  balancer = await startBalancer(() => [Number(new URL(fixture.app.url).port)]);
});
afterAll(() => balancer?.stop());

/** The page records what it is told; `follow` returns once the stream is left. */
const page = `import { createClient } from './contract/client/index.js';
const told = { states: [], steps: [], rates: 0 };
const controller = new AbortController();
const onState = ({ state }) => told.states.push(state);
async function follow(url, intentHash) {
  const client = createClient(url);
  const { signal } = controller;
  for await (const { event } of client.rates.stream({ params: { corridor: 'usdc-ngn' } }, { signal })) {
    if (event === 'rates') told.rates += 1;
    break;
  }
  for await (const { data } of client.intents.stream({ params: { intentHash } }, { signal, onState }))
    told.steps.push(data.steps.length);
}
Object.assign(globalThis, { told, controller, follow });
`;

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

itInBrowser(
  'a page of another origin follows an intent over a broken connection, and closes its own with its signal',
  async () => {
    const terms = fixture.terms();
    const hash = intentHash(terms as unknown as IntentTerms);
    await fixture.post(terms);
    const site = await startPageServer(await bundle(), balancer.url);
    const browser = await launchChromium(findChromium() ?? '');
    try {
      const tab = await browser.newPage();
      await tab.goto(site.url);
      await tab.waitForFunction('typeof follow === "function"');
      await tab.evaluate(
        `void follow('${balancer.url}', '${hash}').catch(({ message }) => { told.ended = message; })`,
      );
      const told = () =>
        tab.evaluate('told') as Promise<{
          states: string[];
          steps: number[];
          rates: number;
          ended?: string;
        }>;
      await waitFor(async () => expect((await told()).steps).toEqual([1]));
      expect((await told()).rates).toBe(1);

      balancer.breakAll();
      await fixture.post({ ...terms, anchorTransactionId: await fixture.begin('harbour') });
      await waitFor(async () => expect((await told()).steps).toEqual([1, 2]), { timeout: 20_000 });
      expect((await told()).states).toEqual(['connecting', 'live', 'waiting', 'connecting', 'live']);

      await tab.evaluate(`controller.abort(new Error('left the page'))`);
      await waitFor(async () => expect((await told()).ended).toBe('left the page'));
    } finally {
      await browser.close();
      await site.stop();
    }
  },
  90_000,
);
