import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/**
 * One part of the view, kept in the query of the address so that a link contains it; the default is left out. Several parts
 * may be set one after another: each change starts from the present address.
 */
export function useViewPart(name: string, byDefault: string): [string, (value: string) => void] {
  const { query, route } = useLocation();
  const set = useCallback(
    (value: string) => {
      const parts = new URLSearchParams(location.search);
      if (value === byDefault) parts.delete(name);
      else parts.set(name, value);
      const search = parts.toString();
      // In place of the present entry: going back leaves the page instead of undoing each keystroke.
      route(search === '' ? location.pathname : `${location.pathname}?${search}`, true);
    },
    [name, byDefault, route],
  );
  return [query[name] ?? byDefault, set];
}
