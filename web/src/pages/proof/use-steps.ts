import { useEffect, useState } from 'preact/hooks';
import type { Evidence, Trust, Wanted } from './check/evidence.js';
import type { Step } from './check/step.js';
import { useChecks } from './use-checks.js';

/** Runs a check and returns its steps as they finish, drawing in between. It restarts when any of its inputs changes. */
export function useSteps(
  evidence: Evidence,
  wanted: Wanted,
  trust: Trust,
): { steps: readonly Step[]; isDone: boolean } {
  const checks = useChecks();
  const [result, setResult] = useState<{ steps: readonly Step[]; isDone: boolean }>(begun);
  useEffect(() => {
    if (checks === undefined) return;
    let isCurrent = true;
    const run = async () => {
      let steps: readonly Step[] = [];
      setResult(begun);
      for (const step of checks.checkScore(evidence, wanted, trust)) {
        if (!isCurrent) return;
        steps = [...steps, step];
        setResult({ steps, isDone: false });
        await new Promise((resolve) => setTimeout(resolve));
      }
      if (isCurrent) setResult({ steps, isDone: true });
    };
    void run();
    return () => {
      isCurrent = false;
    };
  }, [checks, evidence, JSON.stringify([wanted, trust])]);
  return result;
}

const begun = { steps: [], isDone: false };
