import { describe, expect, it } from '@jest/globals';
import { inBatches } from '../../../server/mongo/in-batches.js';
import { currentSpan, inSpan, type Span } from '../../../server/tracing/span.js';

/** A span that records its children and its links. */
interface FakeSpan extends Span {
  children: FakeSpan[];
  links: Span[];
}

function spanCalled(name: string, sampled = true): FakeSpan {
  const children: FakeSpan[] = [];
  const links: Span[] = [];
  let open = true;
  return {
    children,
    links,
    traceId: name,
    traceparent: name,
    isRecording: () => open && sampled,
    isOpen: () => open,
    startChild(childName: string) {
      const child = spanCalled(childName);
      children.push(child);
      return child;
    },
    link: (other: Span) => void links.push(other),
    rename: () => undefined,
    set: () => undefined,
    end: () => {
      open = false;
    },
  };
}

/** Records for each batch the span in which it was sent. */
function batchesIn(sentIn: (Span | undefined)[]) {
  return inBatches<string, string>({
    async send(items) {
      sentIn.push(currentSpan());
      return items;
    },
    maxItems: 2,
  });
}

describe('work that is done for several at once', () => {
  it('is in the span of the one that asked, where only one did', async () => {
    const sentIn: (Span | undefined)[] = [];
    const send = batchesIn(sentIn);
    const request = spanCalled('request');
    await inSpan(request, () => send('item'));
    expect(sentIn).toEqual([request]);
  });

  it('is a span under the first that is sampled, and it and the others are linked to each other', async () => {
    const sentIn: (Span | undefined)[] = [];
    const send = batchesIn(sentIn);
    const [unsampled, first, other] = [
      spanCalled('unsampled', false),
      spanCalled('first'),
      spanCalled('other'),
    ];
    await Promise.all([inSpan(first, () => send('1')), inSpan(other, () => send('2'))]);
    const [batch] = first.children;
    expect(sentIn).toEqual([batch]);
    expect(batch?.links).toEqual([other]);
    expect(other.links).toEqual([batch]);
    await Promise.all([inSpan(unsampled, () => send('1')), inSpan(other, () => send('2'))]);
    expect(sentIn[1]).toBe(other);
  });

  it('is in no span of an earlier batch', async () => {
    const sentIn: (Span | undefined)[] = [];
    const send = batchesIn(sentIn);
    const first = spanCalled('first');
    await Promise.all([inSpan(first, () => send('1')), inSpan(first, () => send('2')), send('3')]);
    expect(sentIn).toEqual([first, undefined]);
  });
});
