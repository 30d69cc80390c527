import { useEffect, useState } from 'preact/hooks';

/** Whether the browser has a network at all; without one, an open connection only seems to be alive. */
export function useIsOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const tell = () => setOnline(navigator.onLine);
    addEventListener('online', tell);
    addEventListener('offline', tell);
    return () => {
      removeEventListener('online', tell);
      removeEventListener('offline', tell);
    };
  }, []);
  return isOnline;
}
