import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Whether the module of this `import.meta.url` is the program that was started. Node loads a program by its real path,
 * but `process.argv` has the path that was given: perhaps through a symlink, or without the file extension.
 */
export function isMain(moduleUrl: string): boolean {
  const [, called] = process.argv;
  return called !== undefined && moduleUrl === pathToFileURL(realPath(called, moduleUrl)).href;
}

/** Resolves the path as Node does. A text that names no file, as with `node --eval`, is returned as it is. */
function realPath(called: string, moduleUrl: string): string {
  try {
    return createRequire(moduleUrl).resolve(called);
  } catch {
    return called;
  }
}
