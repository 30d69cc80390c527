import { connect, type Socket } from 'node:net';

const idMark = Buffer.from('\nid: ');
const idLength = 22;

/** A reader of a stream on a bare socket: it notes the ids of the events, and throws their data away. */
export interface BenchReader {
  /** Ids of the answers that came, in order. */
  ids: string[];
  /** Why it ended; undefined while it is open. */
  fault: string | undefined;
  close(): void;
}

export interface ReaderOptions {
  host: string;
  port: number;
  path: string;
  /** A loopback address, which is the client for the service. */
  localAddress: string;
  /** Called for each answer. */
  onAnswer(): void;
}

/** Resolves when the head of the stream has come; rejects where the answer is no stream. */
export function openReader(options: ReaderOptions): Promise<BenchReader> {
  const { host, port, path, localAddress, onAnswer } = options;
  const socket: Socket = connect({ host, port, localAddress });
  const reader: BenchReader = { ids: [], fault: undefined, close: () => socket.destroy() };
  /** The end of what came, where an id may have begun. */
  let rest: Buffer = Buffer.alloc(0);

  function take(part: Buffer): void {
    const text = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let from = 0;
    for (;;) {
      const at = text.indexOf(idMark, from);
      if (at < 0 || at + idMark.length + idLength > text.length) {
        rest = Buffer.from(text.subarray(at < 0 ? Math.max(from, text.length - idMark.length) : at));
        return;
      }
      from = at + idMark.length + idLength;
      reader.ids.push(text.toString('latin1', at + idMark.length, from));
      onAnswer();
    }
  }

  return new Promise((resolve, reject) => {
    let hasBegun = false;
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
    socket.on('data', (part) => {
      if (!hasBegun) {
        hasBegun = true;
        const line = part.toString('latin1', 0, 15);
        if (line !== 'HTTP/1.1 200 OK') reject(new Error(`a stream was answered with ${line}`));
        else resolve(reader);
      }
      take(part);
    });
    const end = (why: string) => {
      reader.fault ??= why;
      reject(new Error(why));
    };
    socket.on('error', (error) => end(error.message));
    socket.on('close', () => end('closed'));
  });
}
