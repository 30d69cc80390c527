import { describe, expect, it } from '@jest/globals';
import { createLifecycle } from '../../../server/lifecycle.js';
import { silentLogger } from '../../support/silent-logger.js';

describe('the lifecycle', () => {
  it('stops what was started once, in the reverse order, one step after the other', async () => {
    const stopped: string[] = [];
    const lifecycle = createLifecycle({ logger: silentLogger });
    for (const name of ['connection', 'listener']) {
      lifecycle.onStop(name, async () => {
        stopped.push(`${name} stops`);
        await Promise.resolve();
        stopped.push(`${name} stopped`);
      });
    }
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    await lifecycle.stop();
    expect(stopped).toEqual(['listener stops', 'listener stopped', 'connection stops', 'connection stopped']);
  });

  it('goes on after a step that throws, rejects or hangs, logs each and rejects with all of them', async () => {
    const did: unknown[] = [];
    const logger = { ...silentLogger, error: (fields: object) => void did.push(fields) };
    const lifecycle = createLifecycle({ logger, stepTimeoutMs: 20 });
    lifecycle.onStop('connection', () => void did.push('connection'));
    lifecycle.onStop('throws', () => {
      throw new Error('thrown');
    });
    lifecycle.onStop('rejects', () => Promise.reject(new Error('rejected')));
    lifecycle.onStop('hangs', () => new Promise(() => undefined));
    const failure = await lifecycle.stop().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AggregateError);
    const messages = ['hangs did not stop within 20 ms', 'rejected', 'thrown'];
    expect((failure as AggregateError).errors.map((error: Error) => error.message)).toEqual(messages);
    expect(did).toMatchObject([{ step: 'hangs' }, { step: 'rejects' }, { step: 'throws' }, 'connection']);
  });
});
