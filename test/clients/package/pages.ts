import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { type LoopbackServer, listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import type { Project } from './projects.js';

export interface Bundle {
  text: string;
  gzipBytes: number;
  /** Files with at least one byte in the bundle. */
  contributors: string[];
}

/** The entry, written into the project, as a front end ships it: one minified ES module for browsers. */
export async function bundleForBrowser(project: Project, name: string, entry: string): Promise<Bundle> {
  project.write(`${name}.ts`, entry);
  const { outputFiles, metafile } = await build({
    absWorkingDir: project.folder,
    entryPoints: [`${name}.ts`],
    outfile: join(project.folder, 'bundles', `${name}.js`),
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
  const contributors = outputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return { text, gzipBytes: gzipSync(text, { level: 9 }).byteLength, contributors };
}

/** A site on its own origin: an empty page, the bundle, and a policy that lets it connect to the service only. */
function startSite(bundle: string, serviceUrl: string): Promise<LoopbackServer> {
  const policy = `default-src 'none'; script-src 'self'; connect-src ${serviceUrl}`;
  return listenOnLoopback((request, response) => {
    const isScript = request.url === '/bundle.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', policy);
    const page = '<!doctype html><title>A wallet</title><script type="module" src="/bundle.js"></script>';
    response.end(isScript ? bundle : page);
  });
}

/** Opens a page of another origin that runs the bundle, and hands it over. Throws what the page complains about. */
export async function inPage<T>(
  browser: Browser,
  of: { bundle: string; serviceUrl: string },
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const site = await startSite(of.bundle, of.serviceUrl);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  try {
    await page.goto(`${site.origin}/`);
    const used = await use(page);
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    return used;
  } finally {
    await page.close();
    await site.stop();
  }
}
