import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { expectFor } from '../support/expect-for.js';
import { runProgram } from '../support/run-program.js';
import type { ComposeFile } from './compose-file.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fairlead-compose-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docker-compose.yml', () => {
  const text = readFileSync(join(project, 'docker-compose.yml'), 'utf8');
  const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
  const { mongo, 'fairlead-1': fairlead } = (parse(text, { merge: true }) as ComposeFile).services;

  it('gives the service no variable with a value that .env could not change', () => {
    const { TRUST_PROXY, ...others } = fairlead.environment ?? {};
    const environment = Object.entries(others);
    expect(environment.length).toBeGreaterThan(3);
    // The proxy in the same file is always trusted, as are the proxies that .env names.
    expect(TRUST_PROXY).toMatch(/^\$\{TRUST_PROXY:\+\$\{TRUST_PROXY\},\}[\d.]+\/24$/);
    for (const [name, value] of environment)
      expectFor(name, value).toMatch(new RegExp(`^\\$\\{${name}:-.+\\}$`));
  });

  it('and the Dockerfile name every image by an exact version', () => {
    const images = `${text}\n${dockerfile}`.matchAll(/^(?: +image:|FROM) (?!fairlead:)(\S+)/gm);
    const names = [...new Set([...images].map(([, image = '']) => image))];
    expect(names).toHaveLength(3);
    for (const image of names)
      expectFor(image, image).toMatch(/^(haproxy|mongo|node):\d+\.\d+\.\d+(-[a-z]+)*$/);
  });

  it('is built from files that .dockerignore lets in', () => {
    const letIn = readFileSync(join(project, '.dockerignore'), 'utf8').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    );
    for (const path of copied) {
      const parents = path.split('/').map((_, index, parts) => `!${parts.slice(0, index + 1).join('/')}`);
      expectFor(
        path,
        parents.some((line) => letIn.includes(line)),
      ).toBe(true);
    }
  });

  it('starts the MongoDB that the tests run on', () => {
    const fetched = readFileSync(join(project, 'scripts/mongod/fetch.ts'), 'utf8');
    const [, version] = /MongoDB (\d+\.\d+\.\d+)/.exec(fetched) ?? [];
    expect(mongo.image).toBe(`mongo:${version}`);
    expect(readFileSync(join(project, 'docs/operations/deploy.md'), 'utf8')).toContain(`MongoDB ${version}`);
  });

  it('gives MongoDB a password that is in .env alone, and its set a key that is in no file of the project', () => {
    expect(mongo.environment?.MONGO_INITDB_ROOT_PASSWORD).toMatch(/^\$\{MONGO_ROOT_PASSWORD:\?.+\}$/);
    expect(fairlead.environment?.MONGODB_URI).toMatch(/\/\/root:\$\{MONGO_ROOT_PASSWORD\}@mongo:27017\//);
    expect(fairlead.environment?.MONGODB_URI).toContain('authSource=admin');
    expect(mongo.command).toContain('--keyFile');
    expect(mongo.healthcheck?.test?.join(' ')).toContain('.auth(user, password)');
  });

  it('draws the key of the set at the first start, keeps it, and hands over to the program of the image', async () => {
    const [shell = '', option = '', script = '', name = ''] = mongo.entrypoint ?? [];
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    mkdirSync(join(folder, 'configdb'));
    writeFileSync(join(bin, 'docker-entrypoint.sh'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    // Compose turns $$ into $.
    const own = script.replaceAll('$$', '$').replaceAll('/data/configdb', join(folder, 'configdb'));
    const start = () =>
      runProgram(shell, [option, own, name, ...(mongo.command ?? [])], {
        env: { PATH: `${bin}:${process.env.PATH}` },
      });
    const first = await start();
    expect(first).toMatchObject({ status: 0, stdout: `${mongo.command?.join(' ')}\n` });
    const keyfile = join(folder, 'configdb/keyfile');
    const key = readFileSync(keyfile, 'utf8');
    // What mongod accepts: 6 to 1024 characters of base64, in a file for its owner alone.
    expect(key).toMatch(/^[A-Za-z0-9+/=]{100,1024}$/);
    expect(statSync(keyfile).mode & 0o777).toBe(0o400);
    expect((await start()).status).toBe(0);
    expect(readFileSync(keyfile, 'utf8')).toBe(key);
  });
});

describe('the proxy of Docker Compose', () => {
  it('but for the bound per client, does with requests what the one for three machines does', () => {
    const linesOf = (path: string) =>
      readFileSync(join(project, path), 'utf8')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !/^(#|bind |server |stats )/.test(line));
    const here = linesOf('deploy/compose/haproxy.cfg').filter(
      (line) => !/^(resolvers docker|nameserver |hold |default-server init-addr )/.test(line),
    );
    const there = linesOf('deploy/haproxy/haproxy.cfg');
    expect(here).toEqual(there.filter((line) => !/^(stick-table |tcp-request )/.test(line)));
  });
});
