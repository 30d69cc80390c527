/** Where `npm start` listens: on 8080 or, as for `npm start` itself, on PORT. */
export function localServiceUrl(env: NodeJS.ProcessEnv = process.env): string {
  return `http://127.0.0.1:${env.PORT || '8080'}`;
}

/** Ends a command with its reason in one line. */
export function explainFailure(error: unknown): never {
  const down = error instanceof TypeError && error.message === 'fetch failed';
  if (down)
    console.error('The service does not answer. Is it running (npm start)? Elsewhere: --url, or PORT.');
  else console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
