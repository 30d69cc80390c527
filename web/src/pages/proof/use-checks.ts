import { useEffect, useState } from 'preact/hooks';

export type Checks = typeof import('./check/index.js');

let loaded: Checks | undefined;

/** The functions that verify; undefined until their file has arrived, and where it does not. */
export function useChecks(): Checks | undefined {
  const checks = useLoading();
  return checks === 'missing' ? undefined : checks;
}

/** Whether the functions that verify did not arrive. */
export function useAreChecksMissing(): boolean {
  return useLoading() === 'missing';
}

function useLoading(): Checks | 'missing' | undefined {
  const [checks, setChecks] = useState<Checks | 'missing' | undefined>(loaded);
  useEffect(() => {
    if (checks !== undefined) return;
    void import('./check/index.js').then(
      (module) => {
        loaded = module;
        setChecks(module);
      },
      () => setChecks('missing'),
    );
  }, [checks]);
  return checks;
}
