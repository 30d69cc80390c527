import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageServer {
  url: string;
  stop(): Promise<void>;
}

/** A site on its own origin: an empty page, the bundle, and a policy that lets it connect to the service only. */
export async function startPageServer(bundle: string, serviceUrl: string): Promise<PageServer> {
  const policy = `default-src 'none'; script-src 'self'; connect-src ${serviceUrl}`;
  const server = createServer((request, response) => {
    const isScript = request.url === '/bundle.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', policy);
    response.end(
      isScript
        ? bundle
        : '<!doctype html><title>A wallet</title><script type="module" src="/bundle.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
