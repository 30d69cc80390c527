import type { Wanted } from './check/evidence.js';

/** What of a batch is needed to choose it. */
interface Listed {
  header: { sequence: number; createdAt: string };
}

export interface ChosenBatch {
  /** Undefined where there is no batch. */
  sequence: number | undefined;
  /** The selectable batches, newest first; the time of one that is not among the newest is unknown. */
  batches: { sequence: number; createdAt: string | undefined }[];
}

/** The sequence that the address names, if it is not among the newest; only the batch itself says more about it. */
export function unlistedSequence(newest: readonly Listed[], named: string): number | undefined {
  const sequence = sequenceOf(named);
  return newest.some(({ header }) => header.sequence === sequence) ? undefined : sequence;
}

/** The batch that the address names, else the newest. */
export function chosenBatch(offered: readonly Listed[], asked: string): ChosenBatch {
  const batches = offered.map(({ header }) => header);
  const named = sequenceOf(asked);
  const isListed = named === undefined || batches.some(({ sequence }) => sequence === named);
  return {
    sequence: named ?? batches[0]?.sequence,
    batches: isListed ? batches : [...batches, { sequence: named, createdAt: undefined }],
  };
}

/** The address of a check. It names all that is checked: a link to it shows the same when newer batches have come. */
export function checkAddress({ sequence, anchor, corridor }: Wanted, search: string): string {
  const parts = new URLSearchParams(search);
  parts.set('batch', String(sequence));
  parts.set('corridor', corridor);
  parts.set('check', 'now');
  return `/proof/${encodeURIComponent(anchor)}?${parts}`;
}

function sequenceOf(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

interface Card {
  anchorId: string;
  corridor: string;
  score: string | null;
}

/**
 * The entry that the address names, in upper or lower case, even one that is not listed, which the service then refuses;
 * else the first one with a score.
 */
export function chosenEntry(
  entries: readonly Card[],
  named: { anchorId: string; corridor: string },
): { anchorId: string; corridor: string; anchors: string[]; corridors: string[] } | undefined {
  const asked = { anchorId: named.anchorId.toLowerCase(), corridor: named.corridor.toLowerCase() };
  const ofAnchor = (id: string) => entries.filter(({ anchorId }) => anchorId === id);
  const best = (cards: readonly Card[]) => cards.find(({ score }) => score !== null) ?? cards[0];
  const inCorridor = entries.filter(({ corridor }) => asked.corridor === '' || corridor === asked.corridor);
  const anchorId = asked.anchorId || (best(inCorridor) ?? best(entries))?.anchorId;
  if (anchorId === undefined) return undefined;
  const own = ofAnchor(anchorId);
  const corridor = asked.corridor || (best(own) ?? best(entries))?.corridor;
  if (corridor === undefined) return undefined;
  return {
    anchorId,
    corridor,
    anchors: withNamed([...new Set(entries.map((each) => each.anchorId))], anchorId),
    corridors: withNamed(
      own.map((each) => each.corridor),
      corridor,
    ),
  };
}

function withNamed(listed: string[], named: string): string[] {
  return listed.includes(named) ? listed : [...listed, named];
}
