/**
 * A proxy between the service and mongod, which counts commands and bytes by command and collection, both ways. Its argument
 * is mongod's address, and its first message is its own address; it answers `counts`.
 */
import { type AddressInfo, connect, createServer } from 'node:net';
import { answerQuestion } from '../lib/programs/answer-questions.js';
import { createMessageReader } from './wire-messages.js';

export interface WireCount {
  commands: number;
  /** Bytes from the service to mongod. */
  sentBytes: number;
  receivedBytes: number;
}

/** Counts by command and collection, such as `find intents`. */
export type WireCounts = Record<string, WireCount>;

const uri = new URL(process.argv[2] ?? '');
const target = { host: uri.hostname, port: Number(uri.port) };
const counts: WireCounts = {};

function countOf(command: string): WireCount {
  counts[command] ??= { commands: 0, sentBytes: 0, receivedBytes: 0 };
  return counts[command];
}

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ ...target, noDelay: true });
  /** The pending commands, by the id of the message. */
  const asked = new Map<number, string>();
  const readCommand = createMessageReader(({ id, bytes, command }) => {
    const count = countOf(command);
    count.commands += 1;
    count.sentBytes += bytes;
    asked.set(id, command);
  });
  const readAnswer = createMessageReader(({ id, answers, bytes, moreToCome }) => {
    const command = asked.get(answers) ?? 'hello';
    asked.delete(answers);
    if (moreToCome) asked.set(id, command);
    countOf(command).receivedBytes += bytes;
  });
  client.on('data', (part: Buffer) => {
    readCommand(part);
    upstream.write(part);
  });
  upstream.on('data', (part: Buffer) => {
    readAnswer(part);
    client.write(part);
  });
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
});
server.listen(0, '127.0.0.1', () => {
  uri.port = String((server.address() as AddressInfo).port);
  uri.searchParams.delete('replicaSet');
  // Otherwise the driver would connect to the address that the replica set reports.
  uri.searchParams.set('directConnection', 'true');
  process.send?.(uri.href);
});

answerQuestion('counts', () => counts);
