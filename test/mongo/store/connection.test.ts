import { describe, expect, it } from '@jest/globals';
import { connectMongo } from '../../../server/mongo/connection.js';

const message = (uri: string) =>
  connectMongo({ uri }).then(
    async (connection) => {
      await connection.close();
      return 'connected';
    },
    (error: unknown) => String(error),
  );

describe('a database address that cannot be used', () => {
  it.each([
    ['mongodb://fairlead:pass-of-ours@127.0.0.1/x?appp=1', /appp.*not supported/i],
    ['mongodb://fairlead:pass-of-ours@127.0.0.1/x?tls=true&tlsCAFile=/no/fairlead.pem', /ENOENT/],
    ['mongodb://fairlead:pass-of-ours:more@127.0.0.1/x', /unescaped|redacted/],
    ['mongodb://fairlead:pass-of-ours%2F@host:port/x', /port|host/],
  ])('%s: is reported with the reason and without the password', async (uri, reason) => {
    const said = await message(uri);
    expect(said).toMatch(reason);
    expect(said).not.toContain('pass-of-ours');
  });
});
