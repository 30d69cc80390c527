import { useEffect } from 'preact/hooks';

/** Names the document: tabs, bookmarks and histories are told apart by it. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Fairlead`;
  }, [title]);
}
