import type { mongo } from 'mongoose';
import { type Attributes, currentSpan, type Span } from './span.js';

/**
 * Makes a span for each MongoDB command that is sent while a span is recorded. The content of a command is not
 * recorded, and no command begins a trace by itself: most of them look for work and find none.
 */
export function traceCommands(client: mongo.MongoClient): void {
  /** The open spans by request number; the driver reports the end of each request. */
  const open = new Map<number, Span>();
  client.on('commandStarted', (event) => {
    const parent = currentSpan();
    if (!parent?.isRecording()) return;
    const { commandName, requestId } = event;
    const collection = collectionOf(event);
    const name = collection === undefined ? commandName : `${commandName} ${collection}`;
    open.set(requestId, parent.startChild(name, 'client', attributesOf(event, collection)));
  });
  client.on('commandSucceeded', ({ requestId }) => {
    open.get(requestId)?.end();
    open.delete(requestId);
  });
  client.on('commandFailed', ({ requestId, failure }) => {
    const span = open.get(requestId);
    if (span === undefined) return;
    open.delete(requestId);
    const { code } = failure as { code?: unknown };
    if (code !== undefined) span.set({ 'db.response.status_code': String(code) });
    span.end(failure.name);
  });
}

function collectionOf({ command, commandName }: mongo.CommandStartedEvent): string | undefined {
  const named: unknown = commandName === 'getMore' ? command.collection : command[commandName];
  return typeof named === 'string' ? named : undefined;
}

function attributesOf(event: mongo.CommandStartedEvent, collection: string | undefined): Attributes {
  const [, host = event.address, port] = /^(.+):(\d+)$/.exec(event.address) ?? [];
  return {
    'db.system.name': 'mongodb',
    'db.namespace': event.databaseName,
    'db.operation.name': event.commandName,
    ...(collection === undefined ? {} : { 'db.collection.name': collection }),
    'server.address': host,
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
  };
}
