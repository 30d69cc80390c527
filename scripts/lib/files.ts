import { readFile, rename, writeFile } from 'node:fs/promises';

/** The text of a file; undefined if it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What `replaceFile` wrote as JSON before; undefined where there is no such file. */
export async function readJson<T>(path: string | undefined): Promise<T | undefined> {
  const text = path === undefined ? undefined : await readIfPresent(path);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Writes a temporary file beside it and renames it, so that a crash leaves the old content or the new. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
