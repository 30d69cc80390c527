import { anchorNames } from '../figures/anchor-name.js';
import { corridorsQuestion } from './corridors.js';
import { useAnswer } from './use-answer.js';

/** The name of an anchor; its id until the names are loaded, or if they cannot be loaded. */
export function useAnchorName(anchorId: string): string {
  const corridors = useAnswer(corridorsQuestion);
  return anchorNames(corridors.value ?? [])(anchorId);
}
