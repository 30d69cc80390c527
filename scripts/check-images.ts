/**
 * Compares the images of docker-compose.yml and the Dockerfile with image-digests.json: a tag can be moved to another
 * image, a digest cannot. `--record` writes what the registry has. Ends with 1 where a tag was moved or does not exist.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isMain } from '../server/is-main.js';

const file = (name: string) => new URL(`../${name}`, import.meta.url);
const timeoutMs = 15_000;
const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

export type Digests = Record<string, string>;
/** The digest in the registry; `missing` if it has no such tag, `silent` if it does not answer. */
export type Found = string | 'missing' | 'silent';

/** All images that are pulled; not the ones that are built here. */
export function imagesOf(compose: string, dockerfile: string): string[] {
  const { services } = parse(compose, { merge: true }) as {
    services: Record<string, { image?: string; build?: unknown }>;
  };
  const all = Object.values(services);
  const own = all.flatMap(({ image, build }) => (image && build ? [image] : []));
  const started = all.flatMap(({ image }) => (image && !own.includes(image) ? [image] : []));
  const built = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
  return [...new Set([...started, ...built])].sort();
}

/** One line per image, and whether one of them is a fault. */
export function judge(
  recorded: Digests,
  found: ReadonlyMap<string, Found>,
): { lines: string[]; failed: boolean } {
  let failed = false;
  const lines = [...found].map(([image, digest]) => {
    const expected = recorded[image];
    if (digest === 'silent') return `${image}: no registry answers; not checked`;
    if (digest === expected) return `${image}: ${digest}, as recorded`;
    if (digest !== 'missing' && expected === undefined)
      return `${image}: ${digest}, not recorded yet (npm run check:images -- --record)`;
    failed = true;
    return digest === 'missing'
      ? `${image}: no such tag`
      : `${image}: ${digest}, but recorded is ${expected}`;
  });
  return { lines, failed };
}

/** Asks Docker Hub for an official image; no other images are used here. */
async function ask(image: string): Promise<Found> {
  const [name = '', tag = ''] = image.split(':');
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const scope = `repository:library/${name}:pull`;
    const login = await fetch(`https://auth.docker.io/token?service=registry.docker.io&scope=${scope}`, {
      signal,
    });
    const { token } = (await login.json()) as { token?: string };
    const answer = await fetch(`https://registry-1.docker.io/v2/library/${name}/manifests/${tag}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}`, accept: accept.join(', ') },
      signal,
    });
    if (answer.status === 404) return 'missing';
    return answer.headers.get('docker-content-digest') ?? 'silent';
  } catch {
    return 'silent';
  }
}

async function run(): Promise<void> {
  const images = imagesOf(
    readFileSync(file('docker-compose.yml'), 'utf8'),
    readFileSync(file('Dockerfile'), 'utf8'),
  );
  const found = new Map<string, Found>();
  for (const image of images) found.set(image, await ask(image));
  const recorded = JSON.parse(readFileSync(file('image-digests.json'), 'utf8')) as Digests;
  if (process.argv.includes('--record')) {
    const known = [...found].filter(([, digest]) => digest.startsWith('sha256:'));
    const kept = images.flatMap((image) => (recorded[image] ? [[image, recorded[image]]] : []));
    const text = JSON.stringify({ ...Object.fromEntries(kept), ...Object.fromEntries(known) }, null, 2);
    writeFileSync(file('image-digests.json'), `${text}\n`);
    console.log(`${known.length} of ${images.length} digests are recorded in image-digests.json`);
    return;
  }
  const { lines, failed } = judge(recorded, found);
  console.log(lines.join('\n'));
  if (failed) process.exitCode = 1;
}

if (isMain(import.meta.url)) await run();
