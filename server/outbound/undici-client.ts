import type * as undici from 'undici';
// @ts-expect-error The package declares its types for its index only.
import errorClasses from 'undici/lib/core/errors.js';
// @ts-expect-error As above.
import clientClass from 'undici/lib/dispatcher/client.js';

/**
 * The parts of undici that are used here. Its index also loads fetch, caches, proxies and mocks, which takes every start
 * 30 ms and every process 3 MB more. Only the index gives clients `request` and the other methods that are left out here.
 */
export type Client = Omit<undici.Client, 'request' | 'stream' | 'pipeline' | 'connect' | 'upgrade'>;
export const Client = clientClass as new (...given: ConstructorParameters<typeof undici.Client>) => Client;
export const errors = errorClasses as typeof undici.errors;
