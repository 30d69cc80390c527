import type { mongo } from 'mongoose';

/** What the bare program is told, in a file of extended JSON (EJSON), which keeps dates and numbers as they are stored. */
export interface Recorded {
  uri: string;
  /** Intents as the service has stored them. */
  documents: RecordedIntent[];
  /** Those of the service's collection. */
  indexes: mongo.IndexDescription[];
  concurrency: number;
  seconds: number;
}

export interface RecordedIntent {
  _id: string;
  client: string;
}
