import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const { version }: { version: string } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

describe('the clients in other languages', () => {
  it.each([
    ['clients/go/client.go', /^const Version = "(.+)"$/m],
    ['clients/go/README.md', /clients\/go\/v(\d+\.\d+\.\d[-\w.]*\w|\d+\.\d+\.\d+)/],
    ['clients/python/pyproject.toml', /^version = "(.+)"$/m],
    ['clients/python/src/fairlead/__init__.py', /^__version__ = "(.+)"$/m],
    ['clients/java/pom.xml', /<artifactId>fairlead-client<\/artifactId>\s*<version>(.+)<\/version>/],
    ['clients/java/README.md', /<version>(.+)<\/version>/],
    ['clients/java/src/main/java/org/fairlead/client/Fairlead.java', /VERSION = "(.+)"/],
  ])('have the version of the contract in %s', (file, pattern) => {
    expect(pattern.exec(readFileSync(new URL(file, root), 'utf8'))?.[1]).toBe(version);
  });

  it('have the major version of the contract in the path of the Go module', () => {
    const [major] = version.split('.');
    expect(readFileSync(new URL('clients/go/go.mod', root), 'utf8')).toContain(`/clients/go/v${major}\n`);
  });
});
