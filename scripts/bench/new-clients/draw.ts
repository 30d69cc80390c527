import type { mongo } from 'mongoose';

export interface BareWindow {
  _id: string;
  end: Date;
  used: number;
  granted: number;
}

const windowMs = 60_000;
const limit = 90;
const want = 45;

const isOpen = { $gt: ['$end', '$$NOW'] };

/** Opens the window of a client where none is open, and grants it what is left of it, a portion at most. */
export const draw = [
  {
    $set: {
      end: { $cond: [isOpen, '$end', { $add: ['$$NOW', windowMs] }] },
      used: { $cond: [isOpen, '$used', 0] },
    },
  },
  { $set: { granted: { $min: [want, { $subtract: [limit, '$used'] }] } } },
  { $set: { used: { $add: ['$used', '$granted'] } } },
] satisfies mongo.Document[];

/** Only opens the window of a client, where there is none, with one portion granted. */
export const open = [
  {
    $replaceWith: {
      $cond: [
        { $eq: [{ $type: '$end' }, 'missing'] },
        {
          $mergeObjects: [
            { _id: '$_id' },
            { $literal: { used: want, granted: want } },
            { end: { $add: ['$$NOW', windowMs] } },
          ],
        },
        '$$ROOT',
      ],
    },
  },
] satisfies mongo.Document[];

export const drawn = {
  upsert: true,
  returnDocument: 'after',
  projection: { end: 1, used: 1, granted: 1 },
} as const;
