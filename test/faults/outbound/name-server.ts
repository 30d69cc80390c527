import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** What a name has of one type; `silent` never answers. A name that is not listed does not exist. */
export type Records = Record<string, { A?: string[] | 'silent'; AAAA?: string[] | 'silent' }>;

/** A DNS server over UDP, of the few record types that finding an address takes (RFC 1035 section 4). */
export async function serveNames(
  records: Records,
): Promise<{ address: string; asked: string[]; close(): Promise<void> }> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const { name, type, end } = question(query);
    asked.push(`${name} ${type}`);
    const answers = records[name]?.[type];
    if (answers === 'silent') return;
    const known = name in records;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers?.length ?? 0, 6);
    const body = (answers ?? []).map((address) => {
      const data = isIP(address) === 4 ? ipv4(address) : ipv6(address);
      const fixed = Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length]);
      return Buffer.concat([fixed, data]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, end), ...body]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function question(query: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA',
    end: at + 5,
  };
}

function ipv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** Eight groups, written out. */
function ipv6(address: string): Buffer {
  return Buffer.from(
    address
      .split(':')
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
}
