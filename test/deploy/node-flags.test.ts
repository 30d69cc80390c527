import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { productionFlags } from '../../scripts/lib/node-flags.js';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

describe('the flags that Node is started with in production', () => {
  const line = productionFlags.join(' ');

  it.each([
    ['the guide to operations', 'docs/operations/deploy.md', `node ${line} dist/server/main.js`],
    ['the README', 'README.md', `node ${line} --env-file=.env dist/server/main.js`],
    ['the systemd unit', 'deploy/systemd/fairlead.service', `node ${line} dist/server/main.js`],
    ['the image', 'Dockerfile', JSON.stringify(['node', ...productionFlags, 'dist/server/main.js'])],
  ])('are in %s as the benches and the storm use them', (_where, file, command) => {
    expect(read(file).replaceAll('", "', '","')).toContain(command);
  });

  it('are all known to this version of Node', () => {
    execFileSync(process.execPath, [...productionFlags, '--eval', '0'], { stdio: 'pipe' });
  });
});
