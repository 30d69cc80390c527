import { useEffect, useState } from 'preact/hooks';
import { serviceNow } from './service-clock.js';

const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The present time of the service in epoch milliseconds, told every second: one timer for the whole page. */
export function useNow(): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    listeners.add(setNow);
    timer ??= setInterval(tell, 1_000);
    return () => {
      listeners.delete(setNow);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now;
}

function tell(): void {
  const now = serviceNow();
  for (const listener of listeners) listener(now);
}
