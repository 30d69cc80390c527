import { useEffect, useState } from 'preact/hooks';

/** A state of the browser, such as whether it has a network, read again at each of these events of a target. */
export function useBrowserState<T>(read: () => T, target: EventTarget, events: readonly string[]): T {
  const [state, setState] = useState(read);
  useEffect(() => {
    const tell = () => setState(read);
    for (const event of events) target.addEventListener(event, tell);
    return () => {
      for (const event of events) target.removeEventListener(event, tell);
    };
  }, []);
  return state;
}
