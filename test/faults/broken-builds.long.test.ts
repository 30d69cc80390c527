import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { execa } from 'execa';
import {
  type BrokenBuild,
  readLeases,
  unreplicatedIntents,
  watermarkedOutbox,
} from '../fixtures/faults/broken-builds.js';
import { makeBuild } from '../fixtures/faults/make-build.js';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const seed = 17;
const plan = `--seed ${seed} --minutes 3`.split(' ');
const timeoutMs = 300_000;

/** Runs a storm of these faults only, on the service of this folder. */
async function storm(
  folder: string,
  faults: string[],
): Promise<{ exitCode: number | undefined; output: string }> {
  const args = ['--import', 'tsx', 'scripts/faults/main.ts', ...plan, ...faults, '--server', folder];
  const { exitCode, all } = await execa('node', args, {
    cwd: checkout,
    all: true,
    reject: false,
    timeout: timeoutMs,
    killSignal: 'SIGINT',
  });
  return { exitCode, output: all };
}

const lonePrimary = ['--only', 'lone-primary'];
const crowdedTicks = ['--only', 'crowd-ticks'];
const cases: { build: BrokenBuild; faults: string[]; finding: RegExp }[] = [
  {
    build: unreplicatedIntents,
    faults: lonePrimary,
    finding: /[0-9a-f]{64} was acknowledged and is lost\./,
  },
  {
    build: readLeases,
    faults: crowdedTicks,
    finding: /One began at .*, during another\.|FAILED {2}no answer is a 500/,
  },
  {
    build: watermarkedOutbox,
    faults: lonePrimary,
    finding: /No delivery was made to /,
  },
];

// The unbroken service passes a storm of every fault: `npm run test:faults`.
describe('a storm', () => {
  it.each(cases)(
    'fails on $build.name, and says what is wrong',
    async ({ build, faults, finding }) => {
      const { folder, remove } = makeBuild(build);
      try {
        const { exitCode, output } = await storm(folder, faults);
        expect(output).toMatch(finding);
        expect(exitCode).toBe(1);
      } finally {
        remove();
      }
    },
    timeoutMs + 30_000,
  );
});
