import type { TrafficContext } from './context.js';

export interface Followers {
  /** Perhaps follows the intent from its first transition to its last, by the typed client. */
  sometimesFollow(intentHash: string): void;
  /** How many streams were opened, and how often their connections were lost. */
  counts(): { followed: number; lost: number };
}

/** The streams of some intents. A transition is in the ledger before the next one is awaited. */
export function createFollowers(context: TrafficContext): Followers {
  const { clients, ledger, settings, random, over } = context;
  const considered = new Set<string>();
  const counts = { followed: 0, lost: 0 };

  async function follow(intentHash: string): Promise<void> {
    await ledger.write({ kind: 'stream_followed', intentHash });
    const stream = clients.next().intents.stream(
      { params: { intentHash } },
      {
        signal: over,
        // Heartbeats come every 15 s.
        silenceMs: 20_000,
        onState({ state }) {
          if (state === 'waiting') counts.lost += 1;
        },
      },
    );
    for await (const { id, data } of stream) {
      const { number, kind: transition, at, status, transactionStatus, last } = data;
      if (id !== String(number))
        context.refused(`The event ${id} of ${intentHash} has the number ${number}.`);
      const told = { number, transition, at, status, transactionStatus, last };
      await ledger.write({ kind: 'transition_told', intentHash, ...told });
    }
  }

  return {
    sometimesFollow(intentHash) {
      // A resumed off-ramp passes its steps again.
      if (considered.has(intentHash)) return;
      considered.add(intentHash);
      if (random() >= settings.followed) return;
      counts.followed += 1;
      follow(intentHash).catch((error: unknown) => {
        if (!over.aborted) context.refused(`The stream of ${intentHash} ended: ${String(error)}`);
      });
    },
    counts: () => counts,
  };
}
