import { afterAll, describe, expect, it } from '@jest/globals';
import { itWhere, runsHere } from '../support/it-where.js';
import { waitFor } from '../support/wait-for.js';
import { blockOf, blocksOf, expectLike } from './blocks.js';
import { startLocally } from './local-start.js';

/* Every block of README.md that is not about installing, run as printed and in their order. */
const page = 'README.md';
const itInShell = itWhere(
  runsHere('bash', '--version') && runsHere('curl', '--version'),
  'no bash or no curl: the five steps of README.md',
);

const local = await startLocally();
afterAll(() => local.stop(), 60_000);

describe('the first five minutes of README.md', () => {
  it('are these commands in this order', () => {
    const commands = blocksOf(page).filter(({ fence }) => fence === 'sh');
    expect(commands.map(({ text }) => text.trim().slice(0, 15))).toEqual([
      "curl -s 'http:/",
      'npm run demo',
      'npm run dispute',
      'npm run receive',
      'KEY=$(node -p "',
      'npm run verify',
    ]);
  });

  itInShell('1: the first rate', () => local.paste(page, /^curl -s/), 60_000);
  itInShell('2: the first intent, up to its outcome', () => local.paste(page, /^npm run demo/), 300_000);
  itInShell('3: the first dispute, signed', () => local.paste(page, /^npm run dispute$/m), 60_000);

  itInShell(
    '4: the first webhook, of a dispute that an admin accepts',
    async () => {
      const received = await local.start({
        npmRun: ['receiver', '--', '--port', String(local.receiverPort)],
      });
      const { text, shown = 'README.md shows no event' } = blockOf(page, 'sh', /^KEY=/);
      const printed = await local.shell(text);
      expect(printed).toContain('"enabled":true');
      expect(printed).toContain('200  accepted');
      await waitFor(() => expectLike(received(), shown), { timeout: 60_000 });
    },
    120_000,
  );

  itInShell('5: the first proof', () => local.paste(page, /^npm run verify/), 120_000);

  it('and the program of its own code prints the best offer', async () => {
    expect(await local.program(blockOf(page, 'ts').text)).toMatch(/\(simulated\) \d+\.\d\d/);
  }, 60_000);
});
