import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localSecrets } from '../../scripts/start-local/data-folder.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-secrets-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('localSecrets', () => {
  it('generates long, different secrets once and returns them the next time', async () => {
    const first = await localSecrets(folder, {});
    expect(Object.values(first).every((secret) => secret.length >= 32)).toBe(true);
    expect(new Set(Object.values(first)).size).toBe(4);
    expect(await localSecrets(folder, {})).toEqual(first);
  });

  it('makes the file readable by its owner only, even if others could read it before', async () => {
    const file = join(folder, 'secrets.json');
    await writeFile(file, '{}', { mode: 0o644 });
    await localSecrets(folder, {});
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('takes secrets from the environment without writing them to the file', async () => {
    const given = 'given-by-the-operator-0001';
    expect(await localSecrets(folder, { ADMIN_SECRET_KEY: given })).toMatchObject({
      ADMIN_SECRET_KEY: given,
    });
    expect(await readFile(join(folder, 'secrets.json'), 'utf8')).not.toContain(given);
  });

  it.each(['not json', '{"WEBHOOK_KEY": "short"}', '[]'])(
    'refuses a file of %j instead of overwriting it',
    async (text) => {
      const file = join(folder, 'secrets.json');
      await writeFile(file, text);
      await expect(localSecrets(folder, {})).rejects.toThrow(/mend it or move it away/);
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );
});
