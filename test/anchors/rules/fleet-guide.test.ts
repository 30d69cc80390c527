import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { reservedAnchorIds } from '../../../contract/schemas/primitives.js';
import { fleetSchema, parseFleet } from '../../../server/features/anchors/fleet-file.rules.js';
import { expectFor } from '../../support/expect-for.js';

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const page = read('docs/fleet.md');
const [minimal = '', whole = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => json);

/** The names of every member at every depth. */
function membersOf(schema: z.ZodTypeAny): string[] {
  if (schema instanceof z.ZodOptional) return membersOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return membersOf(schema.element);
  if (!(schema instanceof z.ZodObject)) return [];
  const shape = schema.shape as Record<string, z.ZodTypeAny>;
  return Object.entries(shape).flatMap(([name, member]) => [name, ...membersOf(member)]);
}

function namesIn(json: unknown): string[] {
  if (Array.isArray(json)) return json.flatMap(namesIn);
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => [name, ...namesIn(value)]);
}

const members = [...new Set(membersOf(fleetSchema))];

describe('docs/fleet.md', () => {
  it('shows fleet files that are accepted, the second one with every member', () => {
    expect(parseFleet(minimal).anchors).toMatchObject([{ id: 'harbour', simulated: false }]);
    expect(parseFleet(whole).corridors).toMatchObject([{ id: 'usdc-xof-sn', countryMatters: true }]);
    expect([...new Set(namesIn(JSON.parse(whole)))].sort()).toEqual([...members].sort());
  });

  it('explains every member and every reserved id', () => {
    expect(members).toContain('transferServerSep24');
    const prose = page.replaceAll(/```[\s\S]*?```/g, '');
    for (const name of members) expectFor(name, prose).toMatch(new RegExp(`[\`{ ]${name}[\`,}]`));
    for (const id of reservedAnchorIds) expect(prose).toContain(`\`${id}\``);
  });

  it('shows a minimal example in which every member is required', () => {
    const file = JSON.parse(minimal);
    for (const name of Object.keys(file.corridors[0])) {
      const { [name]: _, ...rest } = file.corridors[0];
      expectFor(name, () => parseFleet(JSON.stringify({ ...file, corridors: [rest] }))).toThrow(name);
    }
    for (const name of Object.keys(file.anchors[0])) {
      const { [name]: _, ...rest } = file.anchors[0];
      expectFor(name, () => parseFleet(JSON.stringify({ ...file, anchors: [rest] }))).toThrow(name);
    }
  });

  it('shows the report of faults that the service prints', () => {
    const file = JSON.parse(minimal);
    Object.assign(file.corridors[0], { buyAsset: 'iso4217:KES', referenceAmount: '5' });
    delete file.anchors[0].homeDomain;
    const report = /```text\nFleetError: ([\s\S]*?)\n```/.exec(page)?.[1];
    expect(report).toMatch(/3 fault/);
    expect(() => parseFleet(JSON.stringify(file))).toThrow(report);
  });

  it('lists the anchors and corridors of fleets/mainnet.example.json', () => {
    const { anchors } = parseFleet(read('fleets/mainnet.example.json'));
    const rows = [...page.matchAll(/^\| `([a-z]+)` \| (`usdc-.*) \| (.*) \|$/gm)];
    const listed = rows.map(([, id, corridors = '']) => [
      id,
      corridors.replaceAll('`', '').split(', ').sort(),
    ]);
    const inFile = anchors.map(({ id, corridors }) => [id, corridors.map((each) => each.id).sort()]);
    expect(listed.sort()).toEqual(inFile.sort());
    for (const [, id, , prices = ''] of rows) {
      const note = anchors.find((anchor) => anchor.id === id)?.note ?? '';
      expectFor(String(id), note).toMatch(
        prices.startsWith('SEP-38') ? /with SEP-38/ : /no SEP-38|indicative only/,
      );
    }
    expect(anchors.some(({ partnerToken }) => partnerToken !== undefined)).toBe(false);
  });
});
