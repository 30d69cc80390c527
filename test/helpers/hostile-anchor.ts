import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that answers as the test says, and keeps what it was asked. */
export interface HostileAnchor {
  origin: string;
  seen: { url: string; authorization: string | undefined }[];
  /** Path (without query) → what happens there; anything else is 404. */
  routes: Record<string, RequestListener>;
  stop(): Promise<void>;
}

export async function startHostileAnchor(
  routes: Record<string, RequestListener> = {},
): Promise<HostileAnchor> {
  const seen: HostileAnchor['seen'] = [];
  const anchor = { seen, routes };
  const server = createServer((req, res) => {
    seen.push({ url: req.url ?? '', authorization: req.headers.authorization });
    const path = (req.url ?? '').split('?')[0] ?? '';
    const route = anchor.routes[path];
    res.on('error', () => undefined);
    if (route === undefined) res.writeHead(404).end();
    else route(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(anchor, {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export function answerJson(value: unknown, status = 200): RequestListener {
  return (_req, res) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function answerText(text: string, status = 200): RequestListener {
  return (_req, res) => res.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}
