import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const files = ['package-lock.json'];

interface Locked {
  integrity?: string;
  /** Where it was loaded from; of a workspace, its folder. */
  resolved?: string;
  link?: boolean;
}

/** The installed packages of a lock file, but for the workspaces of this repository. */
function packagesOf(file: string): [string, Locked][] {
  const { packages } = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
}

describe.each(files)('%s', (file) => {
  it('has a hash of every package, those for other platforms included, so that npm ci checks what it installs', () => {
    const packages = packagesOf(file);
    expect(packages.length).toBeGreaterThan(10);
    const unchecked = packages.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));
    expect(unchecked.map(([path]) => path)).toEqual([]);
  });

  it('names no registry, so that everybody installs from their own', () => {
    expect(packagesOf(file).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
