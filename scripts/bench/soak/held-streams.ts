import { connect, type Socket } from 'node:net';
import { addressIn } from '../../lib/addresses.js';

export interface StreamsReport {
  open: number;
  opened: number;
  /** Events with an answer, of all streams. */
  answers: number;
  /** Requests that were not answered with a stream, for example because MongoDB was too slow to check a limit. */
  refused: number;
  /** Streams that ended without having been closed here. */
  lost: number;
}

const network = 99;
const shortestMs = 20_000;
const spreadMs = 20_000;
const reopenMs = 100;
const eventMark = 'event: rates';

/** Holds this many streams of rates, each of another client, which leaves after about half a minute and is replaced. */
export function holdStreams(origin: string, count: number) {
  const { hostname: host, port } = new URL(origin);
  const open = new Map<Socket, NodeJS.Timeout>();
  let isOver = false;
  let opened = 0;
  let answers = 0;
  let refused = 0;
  let lost = 0;

  function openOne(): void {
    const socket = connect({ host, port: Number(port) });
    opened += 1;
    const client = addressIn(network, opened);
    let closedHere = false;
    let hasBegun = false;
    const leaving = setTimeout(
      () => {
        closedHere = true;
        socket.destroy();
      },
      shortestMs + Math.random() * spreadMs,
    );
    open.set(socket, leaving);
    let end = '';
    socket.on('connect', () =>
      socket.write(
        `GET /api/rates/usdc-ngn/stream HTTP/1.1\r\nhost: ${host}\r\nx-forwarded-for: ${client}\r\n\r\n`,
      ),
    );
    socket.on('data', (part) => {
      if (!hasBegun && !part.toString('latin1').startsWith('HTTP/1.1 200')) {
        refused += 1;
        closedHere = true;
        socket.destroy();
        return;
      }
      hasBegun = true;
      const text = end + part.toString('latin1');
      answers += text.split(eventMark).length - 1;
      // A mark that was counted must not be counted again with the next part.
      end = text.slice(Math.max(text.length - eventMark.length + 1, text.lastIndexOf(eventMark) + 1));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(leaving);
      open.delete(socket);
      if (isOver) return;
      if (!closedHere) lost += 1;
      // With a pause, in case all of them are refused.
      setTimeout(() => isOver || openOne(), reopenMs);
    });
  }

  for (let place = 0; place < count; place += 1) openOne();
  return {
    report: (): StreamsReport => ({ open: open.size, opened, answers, refused, lost }),
    stop() {
      isOver = true;
      for (const [socket, leaving] of open) {
        clearTimeout(leaving);
        socket.destroy();
      }
    },
  };
}
