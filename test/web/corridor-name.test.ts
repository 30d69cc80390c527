import { describe, expect, it } from '@jest/globals';
import { corridorChoice, corridorName } from '../../web/src/figures/corridor-name.js';

describe('corridors', () => {
  it('that pay out one currency are told apart by their countries', () => {
    expect(corridorName('usdc-xof-sn', 'en')).toBe('USDC → XOF · Senegal');
    expect(corridorName('usdc-xof-ci', 'fr')).toBe('USDC → XOF · Côte d’Ivoire');
    expect(corridorName('usdc-ngn', 'en')).toBe('USDC → NGN');
  });

  it('are chosen by those names and the name of the currency', () => {
    expect(corridorChoice('usdc-ngn', 'NGN', 'en')).toBe('USDC → NGN · Nigerian Naira');
    expect(corridorChoice('usdc-ngn', 'NGN', 'fr')).toBe('USDC → NGN · naira nigérian');
    const ofFrancs = ['usdc-xof-sn', 'usdc-xof-ci'].map((id) => corridorChoice(id, 'XOF', 'en'));
    expect(ofFrancs[0]).toMatch(/^USDC → XOF · Senegal · West African CFA/);
    expect(new Set(ofFrancs).size).toBe(2);
  });
});
