import { expect, it } from '@jest/globals';
import { eventBytes } from '../../../server/streams/event-stream.js';

it('an event has its name and one line of data, whatever text that holds, and ends with an empty line', () => {
  expect(eventBytes('rates', { name: 'a\nb\r\ndata: c' }).toString()).toBe(
    'event: rates\ndata: {"name":"a\\nb\\r\\ndata: c"}\n\n',
  );
});
