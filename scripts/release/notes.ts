/**
 * `npm run release:notes -- v2.4.0` prints what CHANGELOG.md says of this version. Ends with 1 where a package has another
 * version, or the changelog says nothing.
 */
import { readFileSync } from 'node:fs';
import { isMain } from '../../server/is-main.js';
import { versions } from './packages.js';

/** The section of a version, without its heading; throws the reason if this version cannot be released. */
export function releaseNotes(tag: string, changelog: string, packages: ReadonlyMap<string, string>): string {
  const version = tag.replace(/^v/, '');
  for (const [name, has] of packages) {
    if (has !== version) throw new Error(`${name} has version ${has}, and the tag is ${tag}`);
  }
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`));
  const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return `${notes}\n`;
}

function run(): void {
  const [tag = ''] = process.argv.slice(2);
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  try {
    process.stdout.write(releaseNotes(tag, changelog, versions()));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

if (isMain(import.meta.url)) run();
