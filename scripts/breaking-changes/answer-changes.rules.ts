import { type Both, type Break, breaksOf, type Context, contentBreaks } from './breaks.rules.js';
import {
  type Answer,
  checked,
  follow,
  type Header,
  type OpenApi,
  type Operation,
} from './document-parts.rules.js';
import type { Direction } from './faults.rules.js';

/** What a change of the answers breaks. `answer`: what clients receive; `request`: what receivers of webhooks may answer. */
export function answerBreaks(
  { old, now }: Both<Operation['responses']>,
  documents: Both<OpenApi>,
  direction: Direction,
): Break[] {
  const added = Object.keys(now).filter((status) => !(status in old) && breaksByComing(status, direction));
  const kept = Object.keys(old).flatMap((status) => {
    const place = direction === 'answer' ? `answer ${status}` : `answer ${status} of the receiver`;
    const [before, after] = [old[status], now[status]];
    if (before === undefined || after === undefined)
      return breaksByGoing(status, direction) ? [{ place, sentence: goneSentence(direction) }] : [];
    const answers = {
      old: checked('answer', follow(before, documents.old.components?.responses)),
      now: checked('answer', follow(after, documents.now.components?.responses)),
    };
    return oneAnswerBreaks(answers, { documents, direction, place });
  });
  return [...added.map((status) => ({ place: `answer ${status}`, sentence: 'is a new success' })), ...kept];
}

/**
 * Whether a new status breaks clients. A client treats an unknown error as the first of its class (RFC 9110 §15), and gets
 * 304 only if it asked for it. It would misread another kind of success.
 */
function breaksByComing(status: string, direction: Direction): boolean {
  return direction === 'answer' && /^[23]/.test(status) && status !== '304';
}

/** Nobody misses an error that no longer occurs; a receiver may still send the answers that it was told it may. */
function breaksByGoing(status: string, direction: Direction): boolean {
  return direction === 'request' || /^[23]/.test(status);
}

function goneSentence(direction: Direction): string {
  return direction === 'answer' ? 'is no longer given' : 'is no longer understood';
}

function oneAnswerBreaks({ old, now }: Both<Answer>, context: Context): Break[] {
  return [
    ...headerBreaks(
      { old: headersOf(old, context.documents.old), now: headersOf(now, context.documents.now) },
      context,
    ),
    ...(context.direction === 'answer' && old.content !== undefined && now.content === undefined
      ? [{ place: context.place, sentence: 'has no body now' }]
      : contentBreaks({ old: old.content ?? {}, now: now.content ?? {} }, context)),
    ...(context.direction === 'answer' && old.content === undefined && now.content !== undefined
      ? [{ place: context.place, sentence: 'has a body now, where none was' }]
      : []),
  ];
}

/** Header names are case-insensitive. */
function headersOf({ headers = {} }: Answer, { components }: OpenApi): Map<string, Header> {
  return new Map(
    Object.entries(headers).map(([name, header]) => [
      name.toLowerCase(),
      checked('header', follow(header, components?.headers)),
    ]),
  );
}

/** An additional header breaks nothing. */
function headerBreaks({ old, now }: Both<Map<string, Header>>, context: Context): Break[] {
  return [...old].flatMap(([name, before]) => {
    const place = `${context.place} header ${name}`;
    const after = now.get(name);
    if (after === undefined) return [{ place, sentence: 'is no longer there' }];
    return [
      ...(before.required === true && after.required !== true
        ? [{ place, sentence: 'may be missing now' }]
        : []),
      ...breaksOf({ old: before.schema, now: after.schema }, { ...context, place }),
    ];
  });
}
