import type { AnchorPage, AnchorSummary } from '../../../contract/anchors.js';
import { ApiError } from '../../../server/errors.js';

/** A fleet as data: what the anchors feature answers, without its discovery. */
export interface TestFleet {
  anchors: AnchorSummary[];
  speedTargets: Record<string, number>;
}

export function anchor(id: string, corridors: string[], changes: Partial<AnchorSummary> = {}): AnchorSummary {
  return {
    id,
    name: id.toUpperCase(),
    note: null,
    status: 'active',
    simulated: true,
    homeDomain: `${id}.example`,
    corridors: corridors.map((corridor) => ({ corridor, deliveryMethods: ['bank_account'] })),
    onboardedAt: '2026-01-01T00:00:00.000Z',
    delistedAt: null,
    ...changes,
  };
}

export function fleetView(fleet: TestFleet) {
  const sorted = () => [...fleet.anchors].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    async listAnchors({
      limit,
      cursor,
    }: {
      limit: string;
      cursor?: string | undefined;
    }): Promise<AnchorPage> {
      const rest = sorted().filter(({ id }) => cursor === undefined || id > cursor);
      const items = rest.slice(0, Number(limit));
      return { items, nextCursor: rest.length > items.length ? (items.at(-1)?.id ?? null) : null };
    },
    corridors: () =>
      Object.entries(fleet.speedTargets).map(([id, speedTargetSeconds]) => ({ id, speedTargetSeconds })),
    async getAnchor(id: string) {
      const found = fleet.anchors.find((each) => each.id === id);
      if (found === undefined) throw new ApiError('UNKNOWN_ANCHOR', `No anchor ${id} was ever in the fleet.`);
      return found;
    },
  };
}
