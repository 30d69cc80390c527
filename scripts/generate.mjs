/**
 * Makes every file that a command can make and that is therefore not committed (scripts/generated-files.ts lists them).
 * `npm ci` does so, and each command that needs them. What is the same as before is not written, so that nothing looks
 * newer than what was built from it; two processes may do it at once, since each file is written in one step.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

try {
  const { tsImport } = await import('tsx/esm/api');
  const { generatedFiles } = await tsImport('./generated-files.ts', import.meta.url);
  for (const { path, text } of generatedFiles()) write(join(import.meta.dirname, '..', path), text);
} catch (error) {
  // `npm ci --omit=dev` installs what the compiled service runs with, which needs nothing of this.
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes("'tsx'")) throw error;
  console.log('nothing is generated, since the development packages are not installed');
}

function write(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}
