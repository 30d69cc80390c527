import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const folder = fileURLToPath(new URL('../../web/', import.meta.url));
const startTimeoutMs = 30_000;

/**
 * Vite's server for `npm run dev`: the page as its sources are now, renewed in the browser when they change. What it
 * asks of the API is handed on to the service at this address.
 */
export async function servePageUnderEdit(
  serviceUrl: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const child = execa('vite', [], {
    cwd: folder,
    preferLocal: true,
    env: { FAIRLEAD_SERVICE_URL: serviceUrl, NO_COLOR: '1' },
    all: true,
    reject: false,
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const giveUp = () => reject(new Error(`Vite does not start:\n${output}`));
    const timer = setTimeout(giveUp, startTimeoutMs);
    child.all.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /Local: +(http\S+)/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once('exit', giveUp);
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await child;
    },
  };
}
