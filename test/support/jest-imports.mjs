import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const globals = new URL('./jest-globals.ts', import.meta.url).href;

// Loaded before Jest (`--import`), and by Node once more in the thread that resolves modules.
if (isMainThread) register(import.meta.url);

/** Node resolves the imports of our tests; outside its own loader, the package `@jest/globals` only throws. */
export function resolve(specifier, context, next) {
  return next(specifier === '@jest/globals' ? globals : specifier, context);
}
