import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import pLimit from 'p-limit';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Far above any answer: 500 anchors make half a megabyte. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** The bytes of an answer as they are stored: compressed once, in another thread, with the highest brotli quality. */
export function packAnswer(text: Buffer): Promise<Buffer> {
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  return compress(text, {
    params: { ...quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
  });
}

/** Reading the history occupies at most half of Node's thread pool, and the event loop is free between two answers. */
const unpacking = pLimit(2);

/** Returns exactly the bytes that were packed. */
export function unpackAnswer(packed: Uint8Array): Promise<Buffer> {
  return unpacking(() => decompress(packed, { maxOutputLength: maxAnswerBytes }));
}
