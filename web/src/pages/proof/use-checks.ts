import { useEffect, useState } from 'preact/hooks';

export type Checks = typeof import('./check/index.js');

let loaded: Checks | undefined;

/** The functions that verify; undefined until their file has arrived. */
export function useChecks(): Checks | undefined {
  const [checks, setChecks] = useState(loaded);
  useEffect(() => {
    if (checks !== undefined) return;
    void import('./check/index.js').then((module) => {
      loaded = module;
      setChecks(module);
    });
  }, [checks]);
  return checks;
}
