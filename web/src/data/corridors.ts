import type { CorridorAnswer } from '@fairlead/contract/client';
import { anchorNames } from '../figures/anchor-name.js';
import { client } from './client.js';
import { type Question, useAnswer } from './use-answer.js';

/** Every corridor of the service, by id. */
export const corridorsQuestion: Question<CorridorAnswer[]> = {
  key: ['corridors'],
  async ask(signal) {
    const corridors: CorridorAnswer[] = [];
    for await (const corridor of client.corridors.listCorridors.all({ query: { limit: '100' }, signal }))
      corridors.push(corridor);
    return corridors;
  },
  // The page may stay open for days.
  everyMs: 600_000,
};

/** The code of an asset in SEP-38 form: `USDC` for `stellar:USDC:G…`, `NGN` for `iso4217:NGN`, `XLM` for `stellar:native`. */
export function codeOf(asset: string): string {
  return asset === 'stellar:native' ? 'XLM' : (asset.split(':')[1] ?? asset);
}

/** The name of an anchor; its id until the names are loaded, or if they cannot be loaded. */
export function useAnchorName(anchorId: string): string {
  const corridors = useAnswer(corridorsQuestion);
  return anchorNames(corridors.value ?? [])(anchorId);
}
