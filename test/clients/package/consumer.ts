import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, runProgram } from '../../support/run-program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const noRegistry = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;

/** Somebody's project with nothing in it but the package, installed from its tarball. */
export interface Consumer {
  folder: string;
  /** The paths inside the tarball. */
  packed: string[];
  /** Writes a file into the project; the repository's own spelling of the package becomes its name. */
  write(path: string, text: string): void;
  /** What a strict tsc, libraries' own declarations included, has to say; empty is good. `outDir`: emits there. */
  typeCheck(files: readonly string[], options: { resolution: Resolution; outDir?: string }): Promise<string>;
  remove(): void;
}

export const resolutions = {
  NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
  Bundler: { module: 'ESNext', moduleResolution: 'Bundler' },
} as const;
export type Resolution = keyof typeof resolutions;

/** Packs the workspace and installs the tarball into an empty folder; undefined where no registry can be reached. */
export async function createConsumer(): Promise<Consumer | undefined> {
  const workshop = mkdtempSync(join(tmpdir(), 'fairlead-pack-'));
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-consumer-'));
  const remove = () => {
    for (const path of [workshop, folder]) rmSync(path, { recursive: true, force: true });
  };
  try {
    const { tarball, packed } = await pack(workshop);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const { status, stderr } = await npm(
      ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball],
      folder,
    );
    if (status !== 0) {
      remove();
      if (noRegistry.test(stderr)) return undefined;
      throw new Error(`npm install failed: ${stderr}`);
    }
    return { folder, packed, write, typeCheck, remove };
  } catch (error) {
    remove();
    throw error;
  }

  function write(path: string, text: string): void {
    const target = join(folder, path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, text.replaceAll(/'(\.\.\/)+contract\/index\.js'/g, "'@fairlead/contract'"));
  }

  async function typeCheck(
    files: readonly string[],
    options: { resolution: Resolution; outDir?: string },
  ): Promise<string> {
    const { resolution, outDir } = options;
    const compilerOptions = {
      ...resolutions[resolution],
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      skipLibCheck: false,
      types: [],
      ...(outDir === undefined ? { noEmit: true } : { outDir, rootDir: '.' }),
    };
    const config = `tsconfig.${resolution}.json`;
    writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, files }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await runProgram(process.execPath, [compiler, '-p', config], { cwd: folder });
    return stdout;
  }
}

/** `npm pack` in a copy of the workspace, so that two files at it do not build into each other's dist. */
async function pack(workshop: string): Promise<{ tarball: string; packed: string[] }> {
  const workspace = join(workshop, 'contract');
  const isBuilt = (path: string) => /\/(dist|node_modules)$/.test(path);
  cpSync(join(root, 'contract'), workspace, { recursive: true, filter: (path) => !isBuilt(path) });
  cpSync(join(root, 'tsconfig.json'), join(workshop, 'tsconfig.json'));
  symlinkSync(join(root, 'node_modules'), join(workshop, 'node_modules'));
  const { status, stdout, stderr } = await npm(['pack', '--pack-destination', workshop], workspace);
  if (status !== 0) throw new Error(`npm pack failed: ${stdout}${stderr}`);
  const name = readdirSync(workshop).find((entry) => entry.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack made no tarball: ${stdout}${stderr}`);
  const tarball = join(workshop, name);
  const { stdout: listed } = await runProgram('tar', ['-tzf', tarball]);
  return {
    tarball,
    packed: listed
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', '')),
  };
}

function npm(args: readonly string[], cwd: string): Promise<Ended> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  return runProgram('npm', args, { cwd, env });
}

/** A file beside this one, as text. */
export function fixture(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
