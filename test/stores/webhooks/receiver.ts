import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventNames } from '../../../contract/events.js';
import { document } from '../../helpers/answers/document.js';
import { faultsOf } from '../../helpers/answers/schemas.js';

/** One POST as it arrived. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes, as text. */
  body: string;
  /** When its last byte was here, on the monotonic clock. */
  at: number;
}

export interface Receiver {
  origin: string;
  received: Received[];
  /** What of the deliveries is not as docs/openapi.json has it; a test ends by expecting none. */
  faults: string[];
  stop(): Promise<void>;
}

export type Respond = (response: ServerResponse, delivery: Received) => void;

export const answer =
  (status: number, body = ''): Respond =>
  (response) =>
    response.writeHead(status).end(body);

/** A receiver on loopback; every delivery is held against the `webhooks` section of the document. */
export async function startReceiver(respond: Respond = answer(200)): Promise<Receiver> {
  const received: Received[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const delivery = { path: request.url ?? '', headers: request.headers, body, at: performance.now() };
      received.push(delivery);
      faults.push(...deliveryFaults(delivery));
      respond(response, delivery);
    });
    response.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    faults,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Body and headers of a delivery against what the document says of its event. */
export function deliveryFaults({ headers, body }: Pick<Received, 'headers' | 'body'>): string[] {
  const name = String(headers['x-fairlead-event']);
  const operation = eventNames.some((known) => known === name) ? document.webhooks[name]?.post : undefined;
  if (operation === undefined) return [`the document has no webhook ${name}`];
  const media = operation.requestBody.content[String(headers['content-type'])];
  if (media === undefined) return [`the Content-Type is ${headers['content-type']}`];
  return [
    ...faultsOf(media.schema, JSON.parse(body)),
    ...operation.parameters.flatMap(({ name: header, required, schema }) => {
      const value = headers[header.toLowerCase()];
      if (value === undefined) return required ? [`the header ${header} is missing`] : [];
      return faultsOf(schema, value).map((fault) => `the header ${header}: ${fault}`);
    }),
  ];
}
