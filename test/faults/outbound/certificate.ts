import { generateKeyPairSync, sign } from 'node:crypto';

/** A fresh self-signed certificate and its key, as PEM: nothing to commit, nothing to expire. */
export function selfSigned(names: { dns?: string[]; ipv4?: string[] }): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(hex('06082a8648ce3d040302'));
  const name = sequence(set(sequence(hex('0603550403'), tlv(0x0c, Buffer.from('fairlead test')))));
  const validity = sequence(utcTime(Date.now() - 86_400_000), utcTime(Date.now() + 86_400_000));
  const alternativeNames = sequence(
    ...(names.dns ?? []).map((dns) => tlv(0x82, Buffer.from(dns))),
    ...(names.ipv4 ?? []).map((ip) => tlv(0x87, Buffer.from(ip.split('.').map(Number)))),
  );
  const extensions = sequence(
    sequence(hex('0603551d13'), hex('0101ff'), tlv(0x04, sequence(hex('0101ff')))),
    sequence(hex('0603551d11'), tlv(0x04, alternativeNames)),
  );
  // RFC 5280 section 4.1: TBSCertificate, version 3.
  const toBeSigned = sequence(
    tlv(0xa0, hex('020102')),
    hex('020101'),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  );
  const signature = tlv(0x03, hex('00'), sign('sha256', toBeSigned, privateKey));
  const der = sequence(toBeSigned, ecdsaWithSha256, signature);
  const lines = (der.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function tlv(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const length = value.length;
  // DER takes the shortest form of a length (X.690 section 10.1).
  const header =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), value]);
}

function sequence(...content: Buffer[]): Buffer {
  return tlv(0x30, ...content);
}

function set(...content: Buffer[]): Buffer {
  return tlv(0x31, ...content);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function utcTime(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/\D/g, '').slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}
