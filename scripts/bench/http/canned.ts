import { readFileSync } from 'node:fs';

/** An answer of the service, to be given again by servers that do nothing else. */
export interface CannedAnswer {
  /** The content, in base64. */
  body: string;
  /** As the service sent them, those that Node adds by itself left out. */
  headers: Record<string, string>;
}

export interface ReadyAnswer {
  body: Buffer;
  headers: Record<string, string>;
  etag: string | undefined;
}

/** By path, from the file that the first argument names. */
export function readCanned(): Map<string, ReadyAnswer> {
  const canned = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, CannedAnswer>;
  return new Map(
    Object.entries(canned).map(([path, { body, headers }]) => [
      path,
      { body: Buffer.from(body, 'base64'), headers, etag: headers.etag },
    ]),
  );
}

/** Whether a client that sent this If-None-Match is answered 304. */
export function isKnown({ etag }: ReadyAnswer, ifNoneMatch: string | undefined): boolean {
  return etag !== undefined && (ifNoneMatch === '*' || ifNoneMatch === etag);
}
