import type { Client } from '@fairlead/contract';
import { useEffect, useState } from 'preact/hooks';
import { forgetAnswers } from '../../data/use-answer.js';

/** The admin operations, called with the key that was typed. The key itself is in the closure of the client alone. */
export type AdminClient = Pick<Client, 'adminDisputes'>;

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
export function answersOf({ number }: Session): readonly unknown[] {
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
