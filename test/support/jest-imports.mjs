import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const globals = new URL('./jest-globals.ts', import.meta.url).href;

// Loaded before Jest (`--import`), and by Node again in the thread that resolves modules.
if (isMainThread) register(import.meta.url);

/** Redirects `@jest/globals`: Node resolves the imports of the tests, and outside Jest the package only throws. */
export function resolve(specifier, context, next) {
  return next(specifier === '@jest/globals' ? globals : specifier, context);
}
