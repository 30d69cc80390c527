import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  forgetOfframp,
  rememberedOfframps,
  rememberOfframp,
} from '../../../web/src/pages/offramp/remembered.js';

const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');

function storeIn(get: () => Pick<Storage, 'getItem' | 'setItem'> | null): void {
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get });
}

afterEach(() => {
  if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage');
  else Object.defineProperty(globalThis, 'localStorage', before);
});

describe('the off-ramps that a device remembers', () => {
  beforeEach(() => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
    };
    storeIn(() => storage);
  });

  it('begin with the latest, each once, and can be forgotten one by one', () => {
    for (const hash of [first, second, first]) rememberOfframp(hash);
    expect(rememberedOfframps()).toEqual([first, second]);
    forgetOfframp(first);
    expect(rememberedOfframps()).toEqual([second]);
    forgetOfframp(second);
    expect(rememberedOfframps()).toEqual([]);
  });

  it('are twenty at most', () => {
    for (let n = 0; n < 25; n += 1) rememberOfframp(n.toString(16).padStart(64, '0'));
    expect(rememberedOfframps()).toHaveLength(20);
  });
});

it('a browser that forbids the page to keep anything remembers no off-ramp, and the page goes on', () => {
  storeIn(() => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  rememberOfframp(first);
  forgetOfframp(first);
  expect(rememberedOfframps()).toEqual([]);
});

it('an app whose web view has no storage remembers no off-ramp, and the page goes on', () => {
  storeIn(() => null);
  rememberOfframp(first);
  expect(rememberedOfframps()).toEqual([]);
});
