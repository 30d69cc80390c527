import type { Client } from '@fairlead/contract';
import { type AdminDispute, type ListDisputesAnswer, unwrap } from '@fairlead/contract/client';
import { useEffect, useState } from 'preact/hooks';
import { forgetAnswers, type Question } from '../../data/use-answer.js';

/** The admin operations, called with the key that was typed. The key itself is in the closure of the client alone. */
type AdminClient = Pick<Client, 'adminDisputes'>;

export interface Session {
  client: AdminClient;
  /** Part of the keys under which answers are kept, so that those read with one admin key are not shown for another. */
  number: number;
}

let sessions = 0;

/** Opens the desk with a key. What it takes to call admin operations is loaded only now. */
export async function openSession(adminKey: string): Promise<Session> {
  const { createClient } = await import('./admin-client.js');
  sessions += 1;
  return { client: createClient('', { adminKey, retry: false }), number: sessions };
}

/** The prefix of the cache keys of everything that belongs to a session. */
function answersOf({ number }: Session): readonly unknown[] {
  return ['desk', number];
}

/**
 * The session while the desk is open: leaving the page forgets the key and all that was read with it, also where the
 * browser keeps the page to show it again when the reader goes back.
 */
export function useSession() {
  const [session, setSession] = useState<Session>();
  useEffect(() => {
    if (session === undefined) return;
    const close = () => setSession(undefined);
    window.addEventListener('pagehide', close);
    return () => {
      window.removeEventListener('pagehide', close);
      forgetAnswers(answersOf(session));
    };
  }, [session]);
  return { session, open: setSession, close: () => setSession(undefined) };
}

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
