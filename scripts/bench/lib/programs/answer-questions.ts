/** A question over the channel to the bench is one word; its answer carries the word back. */
export interface Answer {
  question: string;
  value: unknown;
}

/** Answers this one of `Program.ask`. */
export function answerQuestion(question: string, answer: () => unknown): void {
  process.on('message', async (asked) => {
    if (asked !== question) return;
    process.send?.({ question, value: await answer() } satisfies Answer);
  });
  // The channel alone keeps nothing running.
  process.channel?.unref();
}
