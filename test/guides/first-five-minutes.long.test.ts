import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itWhere, runsHere } from '../support/it-where.js';
import { waitFor } from '../support/wait-for.js';
import { expectLike } from './expect-like.js';
import { type Block, everyBlock } from './fenced-blocks.js';
import { type LocalStart, startLocally } from './local-start.js';

/* The five steps of README.md, run as printed and in their order. */
const itInShell = itWhere(
  runsHere('bash', '--version') && runsHere('curl', '--version'),
  'no bash or no curl: the five steps of README.md',
);
const blocks = everyBlock().filter(({ file }) => file === 'README.md');
let local: LocalStart;

beforeAll(async () => {
  local = await startLocally();
}, 180_000);
afterAll(() => local.stop(), 60_000);

/** The block that contains this command, and the output that README.md shows for it. */
function step(command: RegExp): { commands: Block; output: Block | undefined } {
  const at = blocks.findIndex(({ fence, text }) => fence === 'sh' && command.test(text));
  const [commands, output] = blocks.slice(at);
  if (at === -1 || commands === undefined) throw new Error(`README.md has no block with ${command}`);
  return { commands, output: output?.fence === 'text' ? output : undefined };
}

async function expectStep(command: RegExp): Promise<void> {
  const { commands, output } = step(command);
  if (output === undefined) throw new Error(`README.md shows no output of ${command}`);
  expectLike(await local.pasted(commands), output);
}

describe('the first five minutes of README.md', () => {
  it('are in this order, and no other command is among them', () => {
    const firsts = blocks.filter(({ fence }) => fence === 'sh').map(({ text }) => text.trim().slice(0, 15));
    expect(firsts).toEqual([
      "curl -s 'http:/",
      'npm run demo',
      'npm run dispute',
      'npm run receive',
      'KEY=$(node -p "',
      'npm run verify',
    ]);
  });

  itInShell('1: the first rate', () => expectStep(/^curl -s/), 60_000);

  itInShell('2: the first intent, up to its outcome', () => expectStep(/^npm run demo/), 300_000);

  itInShell(
    '3: the first dispute, signed and accepted by the service',
    () => expectStep(/^npm run dispute$/m),
    60_000,
  );

  itInShell(
    '4: the first webhook, of a dispute that an admin accepts',
    async () => {
      expect(step(/^npm run receiver\n$/).commands.text).toBe('npm run receiver\n');
      const received = await local.startReceiver();
      const { commands, output } = step(/^KEY=/);
      const printed = await local.pasted(commands);
      expect(printed).toContain('"enabled":true');
      expect(printed).toContain('200  accepted');
      if (output === undefined) throw new Error('README.md shows no event');
      await waitFor(() => expectLike(received(), output), { timeout: 60_000 });
    },
    120_000,
  );

  itInShell('5: the first proof', () => expectStep(/^npm run verify/), 120_000);
});
