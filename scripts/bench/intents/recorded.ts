import type { mongo } from 'mongoose';

/** The input of the bare program, in a file of extended JSON (EJSON), which keeps dates and numbers as they are stored. */
export interface Recorded {
  uri: string;
  /** Intents as the service has stored them. */
  documents: RecordedIntent[];
  /** The indexes of the service's collection. */
  indexes: mongo.IndexDescription[];
  concurrency: number;
  seconds: number;
}

export interface RecordedIntent {
  _id: string;
  client: string;
}
