import { useViewPart } from '../../data/use-view-part.js';

export const windows = ['7', '30', '90'] as const;
export type Window = (typeof windows)[number];

/** The displayed record: the parts of the address that are passed on from page to page. */
export interface RecordView {
  window: Window;
  /** All corridors when undefined. */
  corridor: string | undefined;
  /** What a link to another page of the same view ends in. */
  search: string;
  /** What a link to the proof of the same cards ends in: those of other windows than 30 days are not published. */
  proofSearch: string;
  chooseWindow: (window: Window) => void;
  chooseCorridor: (corridor: string) => void;
}

export function useRecordView(): RecordView {
  const [window, chooseWindow] = useViewPart('window', '30');
  const [corridor, chooseCorridor] = useViewPart('corridor', '');
  return { ...recordNamed({ window, corridor }), chooseWindow, chooseCorridor };
}

/** The record that the parts of an address name. */
export function recordNamed(
  named: Record<'window' | 'corridor', string>,
): Omit<RecordView, `choose${string}`> {
  const window = windows.find((each) => each === named.window) ?? '30';
  const corridor = named.corridor.toLowerCase();
  return {
    window,
    corridor: corridor === '' ? undefined : corridor,
    search: searchOf({ corridor, window: window === '30' ? '' : window }),
    proofSearch: searchOf({ corridor }),
  };
}

function searchOf(parts: Record<string, string | undefined>): string {
  const named = Object.entries(parts).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return named.length === 0 ? '' : `?${new URLSearchParams(named)}`;
}
