/** A question over the channel to the bench, such as `cpu`. */
export interface Question {
  ask: string;
  about?: unknown;
}

/** An answer carries its question back. */
export interface Answer {
  question: string;
  value: unknown;
}

/** Answers this one of `Program.ask`. */
export function answerQuestion(question: string, answer: (about: unknown) => unknown): void {
  process.on('message', async (asked: Question) => {
    if (asked.ask !== question) return;
    process.send?.({ question, value: await answer(asked.about) } satisfies Answer);
  });
  // The channel by itself does not keep the process running.
  process.channel?.unref();
}

/** Says that the program is ready, and keeps it running for the questions where nothing else does. */
export function serveQuestions(): void {
  process.channel?.ref();
  process.send?.('ready');
}
