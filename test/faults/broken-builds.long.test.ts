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
const plan = `--seed ${seed} --minutes 4 --calm 5 --kills 0`.split(' ');
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

const isolatedPrimary = ['--elections', '1', '--only', 'isolate-primary'];
const crowdedTicks = ['--elections', '0', '--only', 'crowd-tick,delay-member'];
const cases: { build: BrokenBuild; faults: string[]; finding: RegExp }[] = [
  {
    build: unreplicatedIntents,
    faults: isolatedPrimary,
    finding: /intents [0-9a-f]{64}: It was acknowledged and is lost\./,
  },
  {
    build: readLeases,
    faults: crowdedTicks,
    finding: /began one at .* during another\.|as happens when two ticks do the same work\./,
  },
  {
    build: watermarkedOutbox,
    faults: isolatedPrimary,
    finding: /events evt_[0-9a-f]+: No deliveries were made of it\./,
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
