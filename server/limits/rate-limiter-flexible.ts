import type * as library from 'rate-limiter-flexible';
// @ts-expect-error The package declares its types for its index only.
import memory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
// @ts-expect-error As above.
import res from 'rate-limiter-flexible/lib/RateLimiterRes.js';
// @ts-expect-error As above. The index does not export this class, although its types declare it.
import storeAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';

/** The parts of rate-limiter-flexible that are used here. Its index loads a limiter for every database there is. */
export type RateLimiterMemory = library.RateLimiterMemory;
export const RateLimiterMemory = memory as typeof library.RateLimiterMemory;
export type RateLimiterRes = library.RateLimiterRes;
export const RateLimiterRes = res as typeof library.RateLimiterRes;
export const RateLimiterStoreAbstract = storeAbstract as typeof library.RateLimiterStoreAbstract;
