import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../support/run-program.js';
import { installedPackage, root } from './tarball.js';

/** How TypeScript resolves a package, by the kind of module of the project. */
const resolutions = {
  module: {
    NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
    Bundler: { module: 'ESNext', moduleResolution: 'Bundler' },
  },
  commonjs: {
    NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
    Node10: { module: 'CommonJS', moduleResolution: 'Node10' },
  },
} as const;
export type Kind = keyof typeof resolutions;
export const kinds = Object.keys(resolutions) as Kind[];

/** A project that contains only the package, installed from its tarball. */
export interface Consumer {
  kind: Kind;
  folder: string;
  resolutions: string[];
  /** Writes a file into the project; the repository's own spelling of the package becomes its name. */
  write(path: string, text: string): void;
  /** Output of a strict tsc that also checks libraries' declarations; empty on success. `outDir`: emits there. */
  typeCheck(files: readonly string[], options: { resolution: string; outDir?: string }): Promise<string>;
  remove(): void;
}

/** Returns undefined where the package cannot be installed because no registry can be reached. */
export async function createConsumer(kind: Kind = 'module'): Promise<Consumer | undefined> {
  const installed = await installedPackage();
  if (installed === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-consumer-'));
  cpSync(installed, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `{ "private": true, "type": "${kind}" }\n`);
  const known: Record<string, object> = resolutions[kind];
  return {
    kind,
    folder,
    resolutions: Object.keys(known),
    write,
    typeCheck,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };

  function write(path: string, text: string): void {
    const target = join(folder, path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, text.replaceAll(/'(\.\.\/)+contract\/index\.js'/g, "'@fairlead/contract'"));
  }

  async function typeCheck(
    files: readonly string[],
    options: { resolution: string; outDir?: string },
  ): Promise<string> {
    const { resolution, outDir } = options;
    const compilerOptions = {
      ...known[resolution],
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      // Imports become require() in CommonJS, which is not verbatim.
      verbatimModuleSyntax: kind === 'module',
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

/** A file beside this one, as text. */
export function fixture(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
