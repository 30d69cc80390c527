import { connect } from 'node:net';

/** One connection to a server, with one request in flight at most. */
export interface LoadConnection {
  /** The bytes of a whole request. */
  send(request: string): void;
  close(): void;
}

export interface ConnectionEvents {
  /** An answer has arrived completely: its status, the bytes of its head and body together, and its head. */
  onAnswer(status: number, bytes: number, head: string): void;
  /** The connection failed, was closed by the server, or carried what this reader cannot read. */
  onFailure(error: Error): void;
}

const readBytes = 65_536;
const endOfHead = '\r\n\r\n';

/**
 * Reads of an answer only its status and its length, into one buffer that is used again, so that the generator of the
 * load costs a fraction of what the fastest server does. Answers must have a Content-Length, as all of ours have.
 */
export function openConnection(
  address: { host: string; port: number },
  { onAnswer, onFailure }: ConnectionEvents,
): LoadConnection {
  /** The beginning of a head that has not arrived completely. */
  let partOfHead = Buffer.alloc(0);
  let head = '';
  let status = 0;
  let bytes = 0;
  let missingBytes = 0;
  let closed = false;

  function fail(error: Error): void {
    if (closed) return;
    closed = true;
    socket.destroy();
    onFailure(error);
  }

  function readHead(received: Buffer): void {
    const begun = partOfHead.length === 0 ? received : Buffer.concat([partOfHead, received]);
    const end = begun.indexOf(endOfHead);
    if (end === -1) {
      partOfHead = Buffer.from(begun);
      return;
    }
    partOfHead = Buffer.alloc(0);
    head = begun.toString('latin1', 0, end);
    status = Number(head.slice(9, 12));
    bytes = end + endOfHead.length + bodyBytesOf(head, status);
    missingBytes = bytes - begun.length;
  }

  const socket = connect({
    ...address,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(readBytes),
      callback(count, buffer) {
        if (missingBytes > 0) missingBytes -= count;
        else readHead((buffer as Buffer).subarray(0, count));
        if (partOfHead.length > 0 || missingBytes > 0) return true;
        if (missingBytes < 0 || Number.isNaN(missingBytes)) {
          fail(new Error(`an answer that cannot be read, with status ${status}`));
          return false;
        }
        onAnswer(status, bytes, head);
        return true;
      },
    },
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed a connection')));
  return {
    send: (request) => void socket.write(request, 'latin1'),
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

/** NaN where the head does not say. */
function bodyBytesOf(head: string, status: number): number {
  if (status === 304 || status === 204) return 0;
  return Number(/\ncontent-length: (\d+)/i.exec(head)?.[1]);
}
