import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Error as MongooseErrors, mongo } from 'mongoose';
import { ApiError } from '../../../server/errors.js';
import { toApiError } from '../../../server/http/error-mapper.js';
import { createPatience } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { OutboundError } from '../../../server/outbound/outbound-error.js';
import { expectFor } from '../../support/expect-for.js';
import { silentLogger } from '../../support/silent-logger.js';

const lost = () => new mongo.MongoNetworkError('connection 3 to 127.0.0.1 closed');
const inBulk = (error: Error) =>
  new mongo.MongoBulkWriteError(error as never, { matchedCount: 0 } as never) as Error;
const answer = (code: number, label?: string) => {
  const error = new mongo.MongoServerError({ message: 'refused', code });
  if (label !== undefined) error.addErrorLabel(label);
  return error;
};
const withCode = (code: string, message = code) => Object.assign(new Error(message), { code });
class MongoTomorrowsError extends mongo.MongoDriverError {}

/** The error of writing a request to a connection that the primary has just ended. */
async function writtenAfterTheEnd(): Promise<Error> {
  const server = createServer((socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  socket.once('end', () => process.nextTick(() => process.nextTick(() => socket.write('x'))));
  const [error] = (await once(socket, 'error').catch((thrown: unknown) => [thrown])) as [Error];
  server.close();
  return error;
}

const systemCodes = [
  'ECONNRESET ECONNREFUSED ETIMEDOUT EHOSTUNREACH ENETDOWN ENOTFOUND EAI_AGAIN ENOBUFS',
  'ERR_STREAM_DESTROYED ERR_STREAM_PREMATURE_CLOSE ERR_SOCKET_CLOSED',
].join(' ');
/** Of a server that is not primary, shuts down, is interrupted or was too slow. */
const serverCodes = [
  ...[6, 7, 43, 50, 64, 89, 91, 133, 134, 189, 251, 262, 9001],
  ...[10107, 11600, 11601, 11602, 13435, 13436],
];
const labels = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];

describe('a lost or stopped database is a 503', () => {
  it('where the driver hands on the bare EPIPE of a connection that the other side has ended', async () => {
    const error = await writtenAfterTheEnd();
    expect(error).toMatchObject({ message: 'This socket has been ended by the other party', code: 'EPIPE' });
    expect(toApiError(error)).toMatchObject({ code: 'NOT_READY', status: 503 });
  });

  it('by the kind of its error, in whatever it is wrapped, one that the driver has yet to invent included', () => {
    const kinds: Error[] = [
      lost(),
      inBulk(lost()),
      new mongo.MongoNetworkTimeoutError('connection timed out'),
      new mongo.MongoServerSelectionError('no primary', { servers: new Map() } as never),
      new MongooseErrors.MongooseServerSelectionError('no primary'),
      new mongo.MongoOperationTimeoutError('Timed out at socket write'),
      new mongo.MongoNotConnectedError('Client must be connected before running operations'),
      new mongo.MongoTopologyClosedError(),
      new mongo.MongoServerClosedError(),
      new mongo.MongoClientClosedError(),
      new mongo.MongoUnexpectedServerResponseError('Server ended moreToCome unexpectedly'),
      new mongo.MongoStalePrimaryError('primary marked stale'),
      new MongoTomorrowsError('the connection is unwell'),
      new Error('the write failed', { cause: lost() }),
      ...systemCodes.split(' ').map((code) => withCode(code)),
      ...serverCodes.map((code) => answer(code)),
      ...labels.map((label) => answer(424_242, label)),
    ];
    for (const error of kinds) {
      expectFor(String(error), isMongoUnavailable(error)).toBe(true);
      expectFor(String(error), toApiError(error)).toMatchObject({ code: 'NOT_READY', status: 503 });
    }
  });
});

describe('a fault of ours or of the configuration is no 503', () => {
  const cause = new TypeError('Invalid URL');
  it.each([
    ['a wrong password', answer(18)],
    ['no permission', answer(13)],
    ['a duplicate key', answer(11000)],
    ['a duplicate key in a bulk write', inBulk(answer(11000))],
    ['a document that the schema of the collection refuses', answer(121)],
    ['a query that cannot be read', answer(9)],
    ['an index that exists with other options', answer(85)],
    ['an index that exists with another key', answer(86)],
    ['a write concern that the set does not have', answer(79)],
    ['a code that is not known', answer(424_242)],
    ['an address that cannot be parsed', new mongo.MongoParseError('Invalid scheme')],
    ['an address whose port cannot be parsed', new mongo.MongoRuntimeError('Unable to parse', { cause })],
    ['an unknown option', new mongo.MongoInvalidArgumentError('no such option')],
    ['missing credentials', new mongo.MongoMissingCredentialsError('no password')],
    ['a server that is too old', new mongo.MongoCompatibilityError('wire version')],
    ['a session that was ended', new mongo.MongoExpiredSessionError()],
    ['a transaction inside a transaction', new mongo.MongoTransactionError('already in progress')],
    ['a value that does not fit the schema', new MongooseErrors.ValidationError()],
    ['a mistake in the code', new TypeError('x is not a function')],
    ['a file that is not there', withCode('ENOENT')],
    ['a file that may not be read', withCode('EACCES')],
    ['an argument of a wrong type', withCode('ERR_INVALID_ARG_TYPE')],
    ['an error that was thrown as text', 'ECONNRESET'],
    ['nothing', undefined],
  ])('%s', (_name, error) => {
    expect(isMongoUnavailable(error)).toBe(false);
    expect(toApiError(error).code).toBe('INTERNAL');
  });

  it('an outward call that failed and a body that its client broke off are none of the database either', () => {
    const call = new OutboundError('unreachable', 'no connection', withCode('ECONNREFUSED'));
    expect(isMongoUnavailable(call)).toBe(false);
    const body = Object.assign(withCode('ECONNABORTED', 'request aborted'), { type: 'request.aborted' });
    expect(toApiError(body)).toMatchObject({ code: 'MALFORMED_JSON', status: 400 });
    expect(toApiError(new ApiError('NOT_FOUND', 'nothing'))).toMatchObject({ status: 404 });
  });
});

describe('work that waits for its database', () => {
  /** Work whose attempts take these numbers of seconds; all attempts but the last fail. */
  async function attempts(...seconds: number[]) {
    let now = 0;
    const said: unknown[][] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void said.push(line) };
    await createPatience({ clock: () => now, logger })(async () => {
      now += (seconds.shift() ?? 0) * 1_000;
      if (seconds.length > 0) throw lost();
    });
    return said;
  }
  const line = [{}, 'waiting for the database: connection 3 to 127.0.0.1 closed'];

  it('is tried again for a minute in all, also after the tenth minute of the build of an index', async () => {
    expect(await attempts(40, 15, 0)).toEqual([line, line]);
    await expect(attempts(40, 25, 0)).rejects.toThrow('closed');
    await attempts(600, 40, 0);
    await expect(attempts(600, 40, 25, 0)).rejects.toThrow('closed');
  });

  it('says why it waits at once and every ten seconds, in one line without a stack', async () => {
    expect(await attempts(2, 9, 1, 10, 0)).toEqual([line, line, line]);
  });
});
