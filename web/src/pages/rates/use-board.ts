import {
  type CorridorAnswer,
  type RatesAnswer,
  type StreamRatesEvent,
  unwrap,
} from '@fairlead/contract/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../../data/client.js';
import { keepAnswer, useAnswer } from '../../data/use-answer.js';
import { useBrowserState } from '../../data/use-browser-state.js';
import { type OpenOptions, useStream } from '../../data/use-stream.js';
import { livenessOf } from './liveness.js';

/** What the board is asked: an amount to sell, or one to receive; with neither, the corridor's reference amount. */
export interface Asked {
  amount?: string;
  receive?: string;
  deliveryMethod?: string;
}

export type Board = ReturnType<typeof useBoard>;

/** How often the service is polled while no stream is open. */
const everyMs = 15_000;

/**
 * The quotes of a corridor in the order `best`, kept up to date: by a stream once there is an answer, and by polling while
 * the stream is not open or reports a problem.
 */
export function useBoard(corridor: CorridorAnswer, asked: Asked) {
  const { id } = corridor;
  const key = ['rates', id, asked];
  const question = JSON.stringify(key);
  const call = { params: { corridor: id }, query: { ...asked } };
  const [live, setLive] = useState<string>();
  const [isTroubled, setTroubled] = useState(false);
  const answer = useAnswer<RatesAnswer>({
    key,
    everyMs: live === question ? undefined : everyMs,
    ask: async (signal) => unwrap(await client.rates.getRates({ ...call, signal })),
  });
  const stream = answer.value && {
    key,
    open: (options: OpenOptions) => client.rates.stream(call, options),
    onEvent(event: StreamRatesEvent) {
      setTroubled(event.event === 'problem');
      if (event.event === 'rates') keepAnswer(key, event.data);
    },
  };
  const standing = useStream(stream);
  const isLive = standing.state === 'live' && !isTroubled;
  useEffect(() => setLive(isLive ? question : undefined), [isLive, question]);
  const before = useRef<RatesAnswer | undefined>(undefined);
  if (answer.value !== undefined) before.current = answer.value;
  // Without a network, an open connection only seems to be alive.
  const isOnline = useBrowserState(() => navigator.onLine, window, ['online', 'offline']);
  const { problem } = answer;
  const isRefused = problem?.kind === 'refused';
  const shown = answer.value ?? before.current;
  const body = problem !== undefined && 'body' in problem ? problem.body : undefined;
  return {
    answer,
    /** The answer, or the last one to an earlier question about this corridor, until the present question has one. */
    shown,
    best: shown?.quotes.find(({ anchorId }) => anchorId === shown.best?.anchorId),
    /** Why each anchor makes no offer, where none does. */
    unavailable: body?.code === 'RATES_UNAVAILABLE' ? body.unavailable : undefined,
    /** Undefined while the service refuses the question, since nothing is asked then. */
    liveness: isRefused ? undefined : livenessOf({ problem, standing, isTroubled, isOnline }),
    /** Whether the service refuses the amount, which the field says. */
    isAmountRefused: isRefused && problem.body.code === 'AMOUNT_OUT_OF_RANGE',
  };
}
