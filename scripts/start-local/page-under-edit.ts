import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

/**
 * Vite's server for `npm run dev`: the page as its sources are now, renewed in the browser when they change. What it
 * asks of the API is handed on to the service at this address.
 */
export async function servePageUnderEdit(
  serviceUrl: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  process.env.FAIRLEAD_SERVICE_URL = serviceUrl;
  const folder = fileURLToPath(new URL('../../web/', import.meta.url));
  const server = await createServer({ root: folder, configFile: `${folder}vite.config.ts` });
  await server.listen();
  return { url: server.resolvedUrls?.local[0] ?? '', stop: () => server.close() };
}
