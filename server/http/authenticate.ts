import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Access } from '../../contract/describe-route.js';
import { ApiError } from '../errors.js';

export interface Secrets {
  /** Accepted values of X-Admin-Key; empty: admin endpoints are never served. */
  adminKeys: readonly string[];
  /** Accepted bearer values of the internal endpoints; empty: never served. */
  cronSecrets: readonly string[];
}

/** Lets a request with the credential of its access class pass; throws UNAUTHORIZED otherwise. */
export function authenticate(access: Access, req: Request, res: Response, secrets: Secrets): void {
  if (access === 'admin' && !matchesAny(req.get('x-admin-key'), secrets.adminKeys)) {
    throw new ApiError('UNAUTHORIZED', 'This endpoint needs a valid X-Admin-Key header.');
  }
  if (access === 'internal' && !matchesAny(bearer(req.get('authorization')), secrets.cronSecrets)) {
    res.setHeader('WWW-Authenticate', 'Bearer');
    throw new ApiError('UNAUTHORIZED', 'This endpoint needs Authorization: Bearer with the cron secret.');
  }
}

function bearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1];
}

/** Compares hashes, so that neither length nor content shows in the time taken; every value is compared. */
function matchesAny(given: string | undefined, accepted: readonly string[]): boolean {
  const hash = sha256(given ?? '');
  const matches = accepted.map((value) => value !== '' && timingSafeEqual(hash, sha256(value)));
  return given !== undefined && given !== '' && matches.includes(true);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
