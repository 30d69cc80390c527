import { pipeline } from 'node:stream/promises';
import { initServer } from '@ts-rest/express';
import type { Request, Response } from 'express';
import type { MediaType } from '../../../contract/describe-route.js';
import { rateHistoryContract } from '../../../contract/endpoints/rates.js';
import type { RateHistoryPage } from '../../../contract/schemas/rate-history.js';
import { codingFor, createEncoder } from '../../http/content-coding.js';
import { hashOf, matchesTag, tagOf } from '../../http/entity-tag.js';
import { mediaTypeOf } from '../../http/media-type.js';
import { bodySentBy, setFreshness } from '../../http/send-json.js';
import type { RateHistory } from './service.js';

export function createRateHistoryRouter(deps: {
  history: RateHistory;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}) {
  const { history, publicCache } = deps;
  return initServer().router(rateHistoryContract, {
    getRateHistory: async ({ params: { corridor }, query, req, res }) => {
      res.vary('Accept');
      const type = mediaTypeOf(req.get('accept'));
      if (type !== 'text/csv') {
        const { page, freshForSeconds } = await history.page(corridor, query);
        setFreshness(res, { seconds: freshForSeconds, public: publicCache });
        return { status: 200, body: page };
      }
      const { freshForSeconds, ...file } = await history.csv(corridor, query);
      setFreshness(res, { seconds: freshForSeconds, public: publicCache });
      return { status: 200, body: streamedBody<RateHistoryPage>({ type, ...file }) };
    },
  });
}

/** A body of another media type than JSON, which is sent while it is made. */
export interface StreamedBody {
  type: MediaType;
  /** Identifies the content: two bodies of one version are the same, byte for byte. */
  version: string;
  chunks(): AsyncIterable<string | Buffer>;
}

/** A body that is streamed. */
export function streamedBody<T extends object>(stream: StreamedBody): T {
  return bodySentBy((req, res) => sendStream(req, res, stream));
}

/** Makes no more of the body than the client reads. If that fails, the connection ends before the body does. */
async function sendStream(req: Request, res: Response, stream: StreamedBody): Promise<void> {
  const coding = codingFor(req.get('accept-encoding'));
  const etag = tagOf(hashOf(stream.version), coding);
  res.vary('Accept-Encoding');
  if (matchesTag(req.get('if-none-match'), etag)) {
    res.setHeader('ETag', etag);
    res.status(304).end();
    return;
  }
  const chunks = stream.chunks()[Symbol.asyncIterator]();
  // Made before any header is set: if the first chunk fails, the client gets an error status.
  const first = req.method === 'HEAD' ? undefined : await chunks.next();
  res.setHeader('ETag', etag);
  res.setHeader('Content-Type', `${stream.type}; charset=utf-8`);
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
  if (first === undefined) res.end();
  else await pipeline(joined(first, chunks), createEncoder(coding), res);
}

async function* joined<T>(first: IteratorResult<T>, others: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; !next.done; next = await others.next()) yield next.value;
  } finally {
    // This also runs if the client disconnects.
    await others.return?.();
  }
}
