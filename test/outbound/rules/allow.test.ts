import { describe, expect, it } from '@jest/globals';
import { parseOutboundAllow } from '../../../server/outbound/outbound.js';

describe('parseOutboundAllow', () => {
  it('normalises a comma-separated list of exact origins', () => {
    expect(
      parseOutboundAllow('http://127.0.0.1:7301, HTTPS://10.0.0.5:8443 ,https://Anchor.Internal:443/'),
    ).toEqual(['http://127.0.0.1:7301', 'https://10.0.0.5:8443', 'https://anchor.internal']);
  });

  it('normalises unusual spellings of an address and drops duplicates', () => {
    expect(parseOutboundAllow('http://2130706433:7301,http://127.1:7301,http://[0::1]:80')).toEqual([
      'http://127.0.0.1:7301',
      'http://[::1]',
    ]);
  });

  it.each(['', '  ', ',', ' , '])('gives an empty list for %j', (text) => {
    expect(parseOutboundAllow(text)).toEqual([]);
  });

  it.each([
    ['127.0.0.1:7301', /begin with http/],
    ['localhost', /begin with http/],
    ['*', /begin with http/],
    ['ftp://127.0.0.1', /begin with http/],
    ['http:///127.0.0.1', /begin with http/],
    ['http://*.internal', /wildcard/],
    ['http://10.0.0.5:*', /wildcard/],
    ['http://127.0.0.1:*/x', /wildcard/],
    ['http://127.0.0.1:port', /not a URL/],
    ['http://127.0.0.1:70000', /not a URL/],
    ['http://user:secret@127.0.0.1', /credentials/],
    ['http://@127.0.0.1', /credentials/],
    ['http://127.0.0.1:7301/prices', /after the host/],
    ['http://127.0.0.1:7301?a=1', /after the host/],
    ['http://127.0.0.1:7301#a', /after the host/],
    ['http://127.0.0.1 :7301', /not a URL|after the host/],
    ['http://anchor.internal.:7301', /dot/],
  ])('names the faulty entry %j and its fault', (entry, fault) => {
    expect(() => parseOutboundAllow(`http://127.0.0.1:7301,${entry}`)).toThrow(fault);
    expect(() => parseOutboundAllow(`http://127.0.0.1:7301,${entry}`)).toThrow(`"${entry}"`);
  });

  it('quotes at most 64 characters of an entry', () => {
    expect(() => parseOutboundAllow('x'.repeat(10_000))).toThrow(/^.{64,200}$/);
  });
});
