import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Whether the module of this `import.meta.url` is the program that was started. Node knows a program by its real path, and
 * tells only how it was called: perhaps through a symlink, or without the ending of the file.
 */
export function isMain(moduleUrl: string): boolean {
  const [, called] = process.argv;
  return called !== undefined && moduleUrl === pathToFileURL(realPath(called, moduleUrl)).href;
}

/** Found as Node finds it. What is no file, as an argument of `node --eval`, stays as it is. */
function realPath(called: string, moduleUrl: string): string {
  try {
    return createRequire(moduleUrl).resolve(called);
  } catch {
    return called;
  }
}
