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
  const best = (cards: readonly Card[]) => cards.find(({ score }) => score !== null) ?? cards[0];
  const inCorridor = entries.filter(({ corridor }) => asked.corridor === '' || corridor === asked.corridor);
  const anchorId = asked.anchorId || (best(inCorridor) ?? best(entries))?.anchorId;
  if (anchorId === undefined) return undefined;
  const own = entries.filter((each) => each.anchorId === anchorId);
  const corridor = asked.corridor || (best(own) ?? best(entries))?.corridor;
  if (corridor === undefined) return undefined;
  return {
    anchorId,
    corridor,
    anchors: [...new Set([...entries.map((each) => each.anchorId), anchorId])],
    corridors: [...new Set([...own.map((each) => each.corridor), corridor])],
  };
}
