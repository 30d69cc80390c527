import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

const readmes = [
  'README.md',
  'contract/README.md',
  'mcp/README.md',
  'clients/go/README.md',
  'clients/python/README.md',
  'clients/java/README.md',
];

/** A fenced block of a guide. */
export interface Block {
  /** From the root of the repository. */
  file: string;
  /** The text after the fence: a language, with a name where a file has several blocks; often empty. */
  fence: string;
  text: string;
}

function markdownIn(folder: string): string[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}${name}`);
}

/** Every fenced block of README.md, docs/ and the README of each package, in their order. */
export function everyBlock(): Block[] {
  return [...readmes, ...markdownIn('docs/')].flatMap((file) =>
    [...readFileSync(new URL(file, root), 'utf8').matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm)].map(
      ([, fence = '', text = '']) => ({ file, fence: fence.trim(), text }),
    ),
  );
}

/** The one block of a file whose text matches. */
export function blockOf(file: string, pattern: RegExp): Block {
  const [only, ...others] = everyBlock().filter((one) => one.file === file && pattern.test(one.text));
  if (only === undefined || others.length > 0)
    throw new Error(`${others.length + (only === undefined ? 0 : 1)} blocks of ${file} match ${pattern}`);
  return only;
}
