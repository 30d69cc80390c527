import type { CorridorAnswer } from '@fairlead/contract/client';

/**
 * The names of the anchors in these corridors, by id; the id itself for one that has left the fleet. Two anchors of one
 * name are told apart by their ids.
 */
export function anchorNames(corridors: readonly CorridorAnswer[]): (anchorId: string) => string {
  const names = new Map(
    corridors.flatMap(({ anchors }) =>
      anchors.map((each) => [each.id, shortName({ ...each, anchorName: each.name })] as const),
    ),
  );
  return (anchorId) => {
    const name = names.get(anchorId) ?? anchorId;
    return [...names.values()].filter((each) => each === name).length > 1 ? `${name} (${anchorId})` : name;
  };
}

/** The name without the word that simulated anchors have in theirs: a banner says it in the reader's language. */
export function shortName({ anchorName, simulated }: { anchorName: string; simulated: boolean }): string {
  return simulated ? anchorName.replace(/ \(simulated\)$/, '') : anchorName;
}

/** The address of an anchor's site. A development fleet names its anchors by origin instead of by domain. */
export function siteOf(homeDomain: string): string {
  return homeDomain.includes('://') ? homeDomain : `https://${homeDomain}`;
}
