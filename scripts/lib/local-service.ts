/** The address of `npm start`: port 8080 or, like `npm start` itself, PORT. */
export function localServiceUrl(): string {
  return `http://127.0.0.1:${process.env.PORT || '8080'}`;
}

/** Prints the reason of a failed command in one line, and ends it. */
export function explainFailure(error: unknown): never {
  const down = error instanceof TypeError && error.message === 'fetch failed';
  if (down)
    console.error('The service does not answer. Is it running (npm start)? Elsewhere: --url, or PORT.');
  else console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
