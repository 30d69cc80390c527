import type english from '../../../locales/en.json';

/** What a step read or computed; `proof.fact_` and the label name its text. */
export interface Fact {
  label: string;
  value: string;
}

export interface Step {
  id: StepId;
  /** `open`: there was nothing to hold it against, and the step says why. */
  status: 'held' | 'failed' | 'open';
  /** Why it failed or is open: the end of the name of a text, such as `proof.fault_root_mismatch`. */
  why?: string;
  facts: Fact[];
}

/** The score whose proof the reader asked for. */
export interface Wanted {
  sequence: number;
  anchor: string;
  corridor: string;
}

/** A key as the page received it: `G…`, and its id. */
export interface ListedKey {
  keyId: string;
  publicKey: string;
}

/** Where the trusted keys come from: those of the reader take precedence over those that the browser remembers. */
export type Source = 'reader' | 'readerBefore' | 'before' | 'service';

/** What the answers are held against. */
export interface Trust {
  keys: readonly ListedKey[];
  source: Source;
  /** Key of the oracle's receipts, `G…`; undefined where none is known yet. */
  oracle: string | undefined;
  /** The newest batch that an earlier check held. */
  head: { sequence: number; headerHash: string } | undefined;
}

/** The service's answers, none of them trusted. */
export interface Evidence {
  /** `GET /api/publisher/batches/{sequence}/proof`. */
  proof: unknown;
  /** `GET /api/publisher/batches/{sequence - 1}`; null before the first. */
  previous: unknown;
  /** Every entry of the batch; null where there are too many to ask for. */
  entries: readonly unknown[] | null;
  /** The batch of the sequence that was remembered; null where it is gone, undefined where nothing was remembered. */
  remembered: unknown;
}

/** A step of a check: each has its text. */
export type StepId = StepOf<keyof typeof english.proof>;
type StepOf<Key> = Key extends `step_${infer Id}` ? Id : never;
