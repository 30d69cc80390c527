import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { corridors } from '../../../scripts/simulated-anchors/corridors.js';
import { corridorsOf } from '../../../scripts/simulated-anchors/fleet-file.js';
import { anchorDefinitions } from '../../../scripts/simulated-anchors/profiles.js';
import { parseFleet } from '../../../server/features/anchors/fleet-file.rules.js';
import { expectFor } from '../../support/expect-for.js';

describe('the simulated fleet', () => {
  it('has at least six anchors over at least eight corridors, each served by two or more', () => {
    expect(anchorDefinitions.length).toBeGreaterThanOrEqual(6);
    expect(corridorsOf(anchorDefinitions)).toEqual(corridors);
    expect(corridors.length).toBeGreaterThanOrEqual(8);
    for (const { id } of corridors) {
      const serving = anchorDefinitions.filter((each) => each.corridors.some((own) => own.id === id));
      expectFor(id, serving.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('marks every anchor as simulated in its name', () => {
    for (const { name } of anchorDefinitions) expect(name).toMatch(/\(simulated\)$/);
  });
});

describe('fleets/mainnet.example.json', () => {
  const file = readFileSync(new URL('../../../fleets/mainnet.example.json', import.meta.url), 'utf8');
  const fleet = JSON.parse(file);

  it('is a fleet file that the service accepts', () => {
    expect(parseFleet(file).anchors).toHaveLength(fleet.anchors.length);
  });

  it('is dated, and has no simulated, delisted or unreachable anchor', () => {
    expect(fleet.note).toContain('2026-11-21');
    const text = JSON.stringify(fleet).toLowerCase();
    for (const gone of ['simulated', 'mykobo', 'clickpesa', 'flutterwave', 'settle', 'testanchor'])
      expect(text).not.toContain(gone);
    for (const anchor of fleet.anchors) expectFor(anchor.id, anchor.note).toContain('2026-11-21');
  });
});
