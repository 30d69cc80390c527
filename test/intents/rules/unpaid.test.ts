import { expect, it } from '@jest/globals';
import { hasRoom, hasRoomForAll } from '../../../server/features/intents/unpaid.rules.js';

it('has room for all only where no client could hold its share, however the intents are spread', () => {
  for (const max of [1, 2, 3, 40, 41]) {
    for (let taken = 0; taken <= max; taken += 1) {
      const everyClient = Array.from({ length: taken + 1 }, (_, ofClient) =>
        hasRoom({ max, taken, ofClient }),
      );
      expect([max, taken, hasRoomForAll({ max, taken })]).toEqual([max, taken, everyClient.every(Boolean)]);
    }
  }
});
