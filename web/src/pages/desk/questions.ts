import { type AdminDispute, type ListDisputesAnswer, unwrap } from '@fairlead/contract/client';
import type { Question } from '../../data/use-answer.js';
import { answersOf, type Session } from './session.js';

/** How often the desk checks whether somebody else has filed or decided a dispute. */
const everyMs = 15_000;
const pageSize = '20';

/** One page of the disputes of a status; an empty part is left out. */
export function listQuestion(
  session: Session,
  filters: { status: string; cursor: string },
): Question<ListDisputesAnswer> {
  const set = Object.entries(filters).filter(([, value]) => value !== '');
  const query = { ...Object.fromEntries(set), limit: pageSize };
  return {
    key: [...answersOf(session), 'list', query],
    ask: async (signal) => unwrap(await session.client.adminDisputes.listDisputes({ query, signal })),
    everyMs,
  };
}

export function disputeKey(session: Session, id: string): readonly unknown[] {
  return [...answersOf(session), 'dispute', id];
}

export function disputeQuestion(session: Session, id: string): Question<AdminDispute> {
  return {
    key: disputeKey(session, id),
    ask: async (signal) => unwrap(await session.client.adminDisputes.getDispute({ params: { id }, signal })),
    everyMs,
  };
}
