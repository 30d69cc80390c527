import type { CorridorAnswer } from '@fairlead/contract/client';

/** The names of the anchors in these corridors, by id; the id itself for one that has left the fleet. */
export function anchorNames(corridors: readonly CorridorAnswer[]): (anchorId: string) => string {
  const names = new Map(
    corridors.flatMap(({ anchors }) =>
      anchors.map((each) => [each.id, shortName({ ...each, anchorName: each.name })] as const),
    ),
  );
  return (anchorId) => names.get(anchorId) ?? anchorId;
}

/** The name without the word that simulated anchors have in theirs: a tag says it in the reader's language. */
export function shortName({ anchorName, simulated }: { anchorName: string; simulated: boolean }): string {
  return simulated ? anchorName.replace(/ \(simulated\)$/, '') : anchorName;
}
