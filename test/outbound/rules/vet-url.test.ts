import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blockedIpv4 } from '../../../server/outbound/address-rules.js';
import { parseOutboundAllow } from '../../../server/outbound/outbound.js';
import { OutboundError } from '../../../server/outbound/outbound-error.js';
import { vetUrl } from '../../../server/outbound/vet-url.js';
import vectors from '../../vectors/outbound-addresses.json' with { type: 'json' };

const none: ReadonlySet<string> = new Set();

function failureOf(url: string, listed = none): string {
  try {
    vetUrl(url, listed);
    return 'let through';
  } catch (error) {
    if (error instanceof OutboundError) return error.failure;
    throw error;
  }
}

describe('vetUrl', () => {
  it.each(vectors.spellings.blocked)('blocks the host spelling %j', (host) => {
    expect(failureOf(`https://${host}/`)).toBe('blocked');
    expect(failureOf(`https://${host}:443/price?a=1`)).toBe('blocked');
    expect(failureOf(`http://${host}/`)).toBe('blocked');
  });

  it.each(vectors.spellings.invalid)('refuses the malformed host %j as invalid_url', (host) => {
    expect(failureOf(`https://${host}/`)).toBe('invalid_url');
  });

  it.each(vectors.urls.invalid)('refuses %j, which is not a plain absolute http(s) URL', (url) => {
    expect(failureOf(url)).toBe('invalid_url');
  });

  it('refuses a URL over 4,096 characters', () => {
    expect(failureOf(`https://anchor.example/${'a'.repeat(4_096)}`)).toBe('invalid_url');
    expect(failureOf(`https://anchor.example/${'a'.repeat(4_000)}`)).toBe('let through');
  });

  it.each(vectors.urls.blocked)('blocks %s: others may name only https on port 443', (url) => {
    expect(failureOf(url)).toBe('blocked');
  });

  it('allows a public host and returns where to connect', () => {
    expect(vetUrl('https://Anchor.Example:443/price?amount=1#top', none)).toEqual({
      origin: 'https://anchor.example',
      path: '/price?amount=1',
      hostname: 'anchor.example',
      port: 443,
      secure: true,
      literal: false,
      listed: false,
    });
    expect(vetUrl('https://[2606:4700:4700::1111]/', none)).toMatchObject({
      hostname: '2606:4700:4700::1111',
      literal: true,
    });
    expect(vetUrl('https://8.8.8.8/', none)).toMatchObject({ hostname: '8.8.8.8', literal: true });
  });

  it('allows an @ in the path or query', () => {
    expect(vetUrl('https://anchor.example/@me?to=a@b', none).path).toBe('/@me?to=a@b');
  });

  it('allows a listed origin in every spelling, and every port of loopback where that is listed', () => {
    const listed = new Set(['http://127.0.0.1:7301']);
    const expected = { listed: true, port: 7301, secure: false };
    expect(vetUrl('http://127.0.0.1:7301/price', listed)).toMatchObject(expected);
    expect(vetUrl('http://2130706433:7301/', listed)).toMatchObject(expected);
    expect(failureOf('http://user@127.0.0.1:7301/', listed)).toBe('invalid_url');
    const loopback = new Set(['http://127.0.0.1:*']);
    for (const port of [1, 80, 9_099, 65_535])
      expect(vetUrl(`http://127.0.0.1:${port}/hook`, loopback)).toMatchObject({ listed: true, port });
  });

  it.each(vectors.urls.similarToListed)('where $listed is listed still blocks $url', ({ listed, url }) => {
    expect(failureOf(url, new Set([listed]))).toBe('blocked');
  });

  it('says how the operator allows what it blocks', () => {
    const how =
      'is not on port 443; the operator allows it by adding https://anchor.example:8443 to OUTBOUND_ALLOW';
    expect(() => vetUrl('https://anchor.example:8443/price', none)).toThrow(`anchor.example:8443 ${how}`);
    expect(() => vetUrl('http://127.0.0.1:9101/', none)).toThrow(
      'by adding http://127.0.0.1:9101 to OUTBOUND_ALLOW',
    );
  });

  it('keeps paths, queries and credentials out of its messages', () => {
    for (const rest of ['h.example/s3cret?t=s3cret', 'u:s3cret@h.example/', '127.0.0.1/s3cret'])
      expect(() => vetUrl(`http://${rest}`, none)).toThrow(/^(?!.*s3cret)/);
  });
});

describe('vetUrl over random spellings', () => {
  const blockedAddress = fc
    .tuple(fc.constantFrom(...blockedIpv4), fc.nat(2 ** 32 - 1))
    .map(([{ cidr }, random]) => {
      const [network = '', bits = ''] = cidr.split('/');
      const first = network.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
      return first + (random % 2 ** (32 - Number(bits)));
    });
  const spellNumber = (value: number, base: number, zeros: number, upper: boolean): string => {
    if (base === 10) return String(value);
    if (base === 8) return `0${'0'.repeat(zeros)}${value.toString(8)}`;
    const digits = `${'0'.repeat(zeros)}${value.toString(16)}`;
    return upper ? `0X${digits.toUpperCase()}` : `0x${digits}`;
  };
  /** One to four parts, of which the last holds the rest of the address, each part in a base of its own (inet_aton). */
  const spelling = fc
    .record({
      address: blockedAddress,
      parts: fc.integer({ min: 1, max: 4 }),
      bases: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
      zeros: fc.nat(3),
      upper: fc.boolean(),
      dot: fc.constantFrom('.', '。', '．', '%2e'),
      end: fc.constantFrom('', '.'),
      script: fc.constantFrom('ascii', 'wide', 'percent'),
    })
    .map(({ address, parts, bases, zeros, upper, dot, end, script }) => {
      const octets = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256);
      const values = [...octets.slice(0, parts - 1), address % 2 ** (8 * (5 - parts))];
      const text =
        values.map((value, at) => spellNumber(value, bases[at] ?? 10, zeros, upper)).join('.') + end;
      const recoded = [...text].map((character) => {
        if (character === '.') return dot;
        if (script === 'wide') return String.fromCodePoint(character.charCodeAt(0) + 0xfee0);
        return script === 'percent' ? `%${character.charCodeAt(0).toString(16)}` : character;
      });
      return { address, host: recoded.join('') };
    });

  it('blocks every inet_aton spelling of every blocked IPv4 address', () => {
    fc.assert(
      fc.property(spelling, fc.constantFrom('https', 'HTTPS', 'http'), ({ host }, scheme) => {
        expect(failureOf(`${scheme}://${host}/`)).toBe('blocked');
      }),
      { numRuns: 3_000 },
    );
  });

  it('blocks every IPv6 form that carries a blocked IPv4 address', () => {
    const prefixes =
      '::ffff: 0:0:0:0:0:FFFF: :: ::ffff:0: 64:ff9b:: 64:ff9b:1:: 2600:1f00::5efe: 2600:1f00::200:5efe:';
    const forms = [
      ...prefixes.split(' ').map((prefix) => (high: string, low: string) => `${prefix}${high}:${low}`),
      (high: string, low: string) => `2002:${high}:${low}::1`,
    ];
    fc.assert(
      fc.property(blockedAddress, fc.constantFrom(...forms), fc.boolean(), (address, form, upper) => {
        const host = form(Math.floor(address / 65_536).toString(16), (address % 65_536).toString(16));
        expect(failureOf(`https://[${upper ? host.toUpperCase() : host}]/`)).toBe('blocked');
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('OUTBOUND_ALLOW', () => {
  it.each(vectors.allow.read)('%j is read as exact origins, each once', ({ text, origins }) => {
    expect(parseOutboundAllow(text)).toEqual(origins);
  });

  it.each(vectors.allow.refused)(
    'is refused by the name and the fault of its entry: %j',
    ({ entry, fault }) => {
      const read = () => parseOutboundAllow(`http://127.0.0.1:7301,${entry}`);
      expect(read).toThrow(new RegExp(fault));
      expect(read).toThrow(`"${entry}"`);
    },
  );

  it('is quoted by at most 64 characters of an entry', () => {
    expect(() => parseOutboundAllow('x'.repeat(10_000))).toThrow(/^.{64,200}$/);
  });
});
