import { readFile, rename, writeFile } from 'node:fs/promises';
import type { ZodType, ZodTypeDef } from 'zod';

/** The text of a file; undefined if it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The JSON of a state file, where there is one. Throws, naming the file, when it has another form. */
export async function readState<T>(
  path: string | undefined,
  schema: ZodType<T, ZodTypeDef, unknown>,
  whose: string,
): Promise<T | undefined> {
  const text = path === undefined ? undefined : await readIfPresent(path);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is not the state of ${whose}: move it away`, { cause });
  }
}

/** Writes a temporary file beside it and renames it, so that a crash leaves the old content or the new. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
