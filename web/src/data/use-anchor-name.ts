import { anchorNames } from '../figures/anchor-name.js';
import { corridorsQuestion } from './corridors.js';
import { useAnswer } from './use-answer.js';

/** The name of an anchor; its id until the names are known, or where they cannot be had. */
export function useAnchorName(anchorId: string): string {
  const corridors = useAnswer(corridorsQuestion);
  return anchorNames(corridors.value ?? [])(anchorId);
}
