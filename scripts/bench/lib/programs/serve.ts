import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on any port and says which. */
export function serve(server: Server): void {
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}
