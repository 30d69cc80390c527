import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Consumer } from './consumer.js';

export interface Bundle {
  text: string;
  gzipBytes: number;
  /** Files with at least one byte in the bundle. */
  contributors: string[];
  /** Files read, used or not. */
  read: string[];
}

/** The entry, written into the project, as a front end ships it: one minified ES module for browsers. */
export async function bundleForBrowser(consumer: Consumer, name: string, entry: string): Promise<Bundle> {
  consumer.write(`${name}.ts`, entry);
  const { outputFiles, metafile } = await build({
    absWorkingDir: consumer.folder,
    entryPoints: [`${name}.ts`],
    outfile: join(consumer.folder, 'bundles', `${name}.js`),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const text = outputFiles[0]?.text ?? '';
  const outputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return {
    text,
    gzipBytes: gzipSync(text, { level: 9 }).byteLength,
    contributors: outputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
    read: Object.keys(metafile.inputs),
  };
}
