import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Access } from '../../contract/describe-route.js';
import { ApiError } from '../errors.js';

export interface Secrets {
  /** Accepted values of X-Admin-Key; if empty, admin endpoints refuse every request. */
  adminKeys: readonly string[];
  /** Accepted bearer tokens of the internal endpoints; if empty, they refuse every request. */
  cronSecrets: readonly string[];
}

/** Throws UNAUTHORIZED unless the request carries the credential of its access class. */
export function authenticate(access: Access, req: Request, res: Response, secrets: Secrets): void {
  if (access === 'admin' && !matchesAny(req.get('x-admin-key'), secrets.adminKeys)) {
    throw new ApiError('UNAUTHORIZED', 'This endpoint needs a valid X-Admin-Key header.');
  }
  if (access === 'internal') requireBearer(req, res, secrets.cronSecrets, 'the cron secret');
}

/** Compares hashes, and always all of them, so that the time taken tells neither length nor content. */
function matchesAny(given: string | undefined, accepted: readonly string[]): boolean {
  // Node decodes header fields as Latin-1; a secret beyond ASCII is sent in the bytes of UTF-8.
  const hash = sha256(Buffer.from(given ?? '', 'latin1'));
  const matches = accepted.map((value) => value !== '' && timingSafeEqual(hash, sha256(value)));
  return given !== undefined && given !== '' && matches.includes(true);
}

function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Throws UNAUTHORIZED unless the request carries one of these bearer tokens. */
export function requireBearer(req: Request, res: Response, accepted: readonly string[], whose: string): void {
  const [, token] = /^Bearer +(\S.*)$/i.exec(req.get('authorization') ?? '') ?? [];
  if (matchesAny(token, accepted)) return;
  res.setHeader('WWW-Authenticate', 'Bearer');
  throw new ApiError('UNAUTHORIZED', `This endpoint needs Authorization: Bearer with ${whose}.`);
}
