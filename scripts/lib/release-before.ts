import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { withFolderLock } from './folder-lock.js';

const thisCheckout = fileURLToPath(new URL('../../', import.meta.url));
/** 2.3.0, the release from which upgrades start. It has no tag. */
const commit = 'ec12be6e5d07dbbb94debd7f7c4631b0655a48d2';
const installTimeoutMs = 5 * 60_000;

/** The previous release is not available: its commit is missing in this history, or its packages cannot be installed. */
export class NoReleaseBefore extends Error {
  override readonly name = 'NoReleaseBefore';
}

/**
 * The folder of the release before, with the packages that its service needs, kept in .cache. It holds the sources: compile
 * them before you run it (./compile.ts).
 * @param root of the checkout, where this file itself was compiled to another folder
 * @throws NoReleaseBefore
 */
export async function releaseBefore(root = thisCheckout): Promise<string> {
  const folder = join(root, '.cache', 'release-2.3.0');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  return withFolderLock(`${folder}.lock`, async () => {
    if (existsSync(complete)) return folder;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const archive = `${folder}.tar`;
    await step(root, 'git', 'archive', '--output', archive, commit);
    await step(folder, 'tar', '-xf', archive);
    await rm(archive);
    await step(folder, 'npm', 'ci', '--omit=dev', '--ignore-scripts', '--prefer-offline');
    await writeFile(complete, '');
    return folder;
  });
}

async function step(cwd: string, program: string, ...args: string[]): Promise<void> {
  const ended = await execa(program, args, { cwd, reject: false, timeout: installTimeoutMs });
  if (!ended.failed) return;
  throw new NoReleaseBefore(`the release before is not to be had: ${ended.shortMessage}\n${ended.stderr}`);
}
