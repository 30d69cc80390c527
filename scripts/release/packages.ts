import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

interface Manifest {
  name: string;
  version: string;
  workspaces?: string[];
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${folder}package.json`, root), 'utf8')) as Manifest;
}

/** The service and every package of its workspaces, by name: what is released together, with one version. */
export function versions(): Map<string, string> {
  const service = manifest('');
  const all = [service, ...(service.workspaces ?? []).map((folder) => manifest(`${folder}/`))];
  return new Map(all.map(({ name, version }) => [name, version]));
}
