import { type IncomingMessage, type OutgoingHttpHeader, type ServerResponse, STATUS_CODES } from 'node:http';
import { keepAliveHeader } from '../http/request-limits.js';

/** Header lines as they are sent, each with its line break. */
export type HeaderLines = string;

/** What all other answers on a connection that stays open have, too. */
const keepAlive = `Connection: keep-alive\r\nKeep-Alive: ${keepAliveHeader}\r\n\r\n`;
/** The lines that end every head in this second, and the empty line. */
let lastLines: string | undefined;

/** @param headers names and values alternating, which need no check: `setHeader` has checked them, or they are our own */
export function linesOf(headers: readonly OutgoingHttpHeader[]): HeaderLines {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  // A joined text is a tree of its parts, which V8 would copy together for every answer. This is the copy, made once.
  return Buffer.from(lines, 'latin1').toString('latin1');
}

interface BodyState {
  ended: boolean;
  endEmitted: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
}

/**
 * Sends an answer to a request without a body, whose header lines are ready. `writeHead` would check and look up each
 * header again, a seventh of the processor time of a cached answer. So the head is put where Node keeps the one that it has
 * made, in `_header`, which it sends before the body. Where a connection closes after the answer, or Node does not take the
 * head, `writeHead` is used.
 * @param bodyOfGet empty if there is none, and not sent to a HEAD; a text has one character per byte, and is sent together with
 * the head as one chunk
 */
export function sendReady(
  res: ServerResponse,
  status: 200 | 304 | 429,
  lines: HeaderLines,
  bodyOfGet: string | Buffer,
): void {
  endEmptyBody(res.req);
  const body = res.req.method === 'HEAD' ? '' : bodyOfGet;
  if (res.shouldKeepAlive && !res.headersSent) {
    const isText = typeof body === 'string';
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${endOfHead()}`;
    res.statusCode = status;
    (res as ServerResponse & { _header: string | null })._header = isText ? head + body : head;
    if (res.headersSent) return void (isText ? res.end() : res.end(body));
  }
  res.writeHead(status, headersOf(lines)).end(body, 'latin1');
}

/**
 * Marks the body as read and closed. Otherwise Node reads it to its end after the answer, and emits three events on the way: 7 %
 * of the time of a cached answer. With `optimizeEmptyRequests` Node does the same, but Node 20 does not have that option.
 */
function endEmptyBody(req: IncomingMessage): void {
  const { _readableState: state } = req as IncomingMessage & { _readableState: BodyState };
  (req as IncomingMessage & { _dumped: boolean })._dumped = true;
  state.ended = true;
  state.endEmitted = true;
  state.destroyed = true;
  state.closed = true;
  state.closeEmitted = true;
}

function headersOf(lines: HeaderLines): string[] {
  return lines
    .split('\r\n')
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

/** The date is the machine's, as in all other answers, which Node dates in the same way: it is made anew once a second. */
function endOfHead(): string {
  if (lastLines === undefined) {
    const now = Date.now();
    lastLines = `Date: ${new Date(now).toUTCString()}\r\n${keepAlive}`;
    setTimeout(forgetLastLines, 1_000 - (now % 1_000)).unref();
  }
  return lastLines;
}

function forgetLastLines(): void {
  lastLines = undefined;
}
