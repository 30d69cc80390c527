/** Gives the service the version that changesets gave to the packages, in package.json and in the lockfile. */
import { execFileSync } from 'node:child_process';
import { versions } from './packages.js';

const [, ...packages] = versions().values();
const [version] = packages;
if (version === undefined || packages.some((other) => other !== version)) {
  throw new Error(
    `the packages differ in version (${packages.join(', ')}): see "fixed" in .changeset/config.json`,
  );
}
const npm = (...args: string[]) => execFileSync('npm', args, { stdio: 'inherit' });
npm('pkg', 'set', `version=${version}`);
npm('install', '--package-lock-only', '--prefer-offline', '--ignore-scripts');
