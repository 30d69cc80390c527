import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Empties a control when the page is left, because the browser may show the same page again when the reader goes back. */
export function useEmptiedOnLeaving(control: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const empty = () => {
      if (control.current !== null) control.current.value = '';
    };
    window.addEventListener('pagehide', empty);
    return () => window.removeEventListener('pagehide', empty);
  }, [control]);
}
