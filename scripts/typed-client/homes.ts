import { readdirSync, readFileSync } from 'node:fs';
import { pascalCase } from '../openapi/zod-schema.js';

const contract = new URL('../../contract/', import.meta.url);

/** The shapes of signed records, which several features show, are in one file. */
const homeOfVerification = 'signed-records';

/**
 * The file that a component belongs to, named after the schema file that exports it, or after the endpoint file of its
 * operation. A component without its own name is in the file of the one that contains it: `RateQuoteCost` with `RateQuote`.
 */
export function homesOf(names: readonly string[]): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const [file, text] of sources('verification'))
    for (const name of found(text, /^export const (\w+)/gm)) known.set(pascalCase(name), file);
  for (const name of known.keys()) known.set(name, homeOfVerification);
  for (const [file, text] of sources('endpoints'))
    for (const name of found(text, /operationId: '(\w+)'/g)) known.set(pascalCase(name), file);
  for (const name of found(textOf('schemas/events.ts'), /^ {2}'([a-z.]+)':/gm))
    known.set(`${pascalCase(name)}Event`, 'events');
  for (const [file, text] of sources('schemas'))
    for (const name of found(text, /^export const (\w+)/gm)) known.set(pascalCase(name), file);
  return new Map(names.map((name) => [name, home(name, known)]));
}

function home(name: string, known: ReadonlyMap<string, string>): string {
  for (let length = name.length; length > 0; length -= 1) {
    const file = known.get(name.slice(0, length));
    if (file !== undefined && /^([A-Z]|$)/.test(name.slice(length))) return file;
  }
  throw new Error(`no file of contract/ names the component ${name}`);
}

function sources(folder: string): [file: string, text: string][] {
  const names = readdirSync(new URL(folder, contract)).filter((name) => name.endsWith('.ts'));
  return names.sort().map((name) => [name.replace(/\.ts$/, ''), textOf(`${folder}/${name}`)]);
}

function textOf(path: string): string {
  return readFileSync(new URL(path, contract), 'utf8');
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}
