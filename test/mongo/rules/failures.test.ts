import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Error as MongooseErrors, mongo } from 'mongoose';
import { ApiError } from '../../../server/errors.js';
import { toApiError } from '../../../server/http/error-mapper.js';
import { insideBulk, isMongoUnavailable } from '../../../server/mongo/failures.js';
import { OutboundError } from '../../../server/outbound/outbound-error.js';
import { expectFor } from '../../support/expect-for.js';

const lost = () => new mongo.MongoNetworkError('connection 3 to 127.0.0.1 closed');
const inBulk = (error: Error) =>
  new mongo.MongoBulkWriteError(error as never, { matchedCount: 0 } as never) as Error;
const answer = (code: number, message = 'refused') => new mongo.MongoServerError({ message, code });
const withCode = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

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

describe('insideBulk', () => {
  it('returns the failure that the driver wraps in a bulk write error', () => {
    const inside = lost();
    expect(insideBulk(inBulk(inside))).toBe(inside);
  });

  it('returns any other failure itself', () => {
    const error = lost();
    expect(insideBulk(error)).toBe(error);
  });
});

describe('a lost or stopped database is a 503', () => {
  it('where the driver hands on the bare EPIPE of a connection that the other side has ended', async () => {
    const error = await writtenAfterTheEnd();
    expect(error).toMatchObject({ message: 'This socket has been ended by the other party', code: 'EPIPE' });
    expect(toApiError(error)).toMatchObject({ code: 'NOT_READY', status: 503 });
  });

  const kinds = [
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
    new Error('the write failed', { cause: lost() }),
    ...[
      'ECONNRESET',
      'ECONNREFUSED',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'ENETDOWN',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ENOBUFS',
    ].map((code) => withCode(code, code)),
    ...['ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_SOCKET_CLOSED'].map((code) =>
      withCode(code, code),
    ),
  ];
  it.each(kinds.map((error) => [String(error), error]))('%s', (_text, error) => {
    expect(toApiError(error)).toMatchObject({ code: 'NOT_READY', status: 503 });
  });

  it('where the driver has a new class of error for it', () => {
    class MongoTomorrowsError extends mongo.MongoDriverError {}
    expect(isMongoUnavailable(new MongoTomorrowsError('the connection is unwell'))).toBe(true);
  });

  it('by every code of a server that is not primary, shuts down, is interrupted or was too slow', () => {
    const codes = [
      6, 7, 43, 50, 64, 89, 91, 133, 134, 189, 251, 262, 9001, 10107, 11600, 11601, 11602, 13435, 13436,
    ];
    for (const code of codes) expectFor(String(code), isMongoUnavailable(answer(code))).toBe(true);
  });

  it('by the label that the server or the driver gives it, whatever its code', () => {
    for (const label of [
      'RetryableWriteError',
      'TransientTransactionError',
      'UnknownTransactionCommitResult',
    ]) {
      const error = answer(424_242);
      error.addErrorLabel(label);
      expectFor(label, isMongoUnavailable(error)).toBe(true);
    }
  });
});

describe('a fault of ours or of the configuration is no 503', () => {
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
    [
      'an address whose port cannot be parsed',
      new mongo.MongoRuntimeError('Unable to parse host:port with URL', {
        cause: new TypeError('Invalid URL'),
      }),
    ],
    ['an unknown option', new mongo.MongoInvalidArgumentError('no such option')],
    ['missing credentials', new mongo.MongoMissingCredentialsError('no password')],
    ['a server that is too old', new mongo.MongoCompatibilityError('wire version')],
    ['a session that was ended', new mongo.MongoExpiredSessionError()],
    ['a transaction inside a transaction', new mongo.MongoTransactionError('already in progress')],
    ['a value that does not fit the schema', new MongooseErrors.ValidationError()],
    ['a mistake in the code', new TypeError('x is not a function')],
    ['a file that is not there', withCode('ENOENT')],
    ['an argument of a wrong type', withCode('ERR_INVALID_ARG_TYPE')],
    ['a file that may not be read', withCode('EACCES')],
    ['an error that was thrown as text', 'ECONNRESET'],
    ['nothing', undefined],
  ])('%s', (_name, error) => {
    expect(isMongoUnavailable(error)).toBe(false);
    expect(toApiError(error).code).toBe('INTERNAL');
  });

  it('an outward call that failed is not a failure of the database, although a socket stands behind it', () => {
    const error = new OutboundError('unreachable', 'no connection', withCode('ECONNREFUSED'));
    expect(isMongoUnavailable(error)).toBe(false);
  });

  it('a body that its client broke off is no failure of the database', () => {
    const error = Object.assign(withCode('ECONNABORTED', 'request aborted'), { type: 'request.aborted' });
    expect(toApiError(error)).toMatchObject({ code: 'MALFORMED_JSON', status: 400 });
    expect(toApiError(new ApiError('NOT_FOUND', 'nothing'))).toMatchObject({ status: 404 });
  });
});
