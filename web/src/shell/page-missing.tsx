import { useEffect } from 'preact/hooks';
import { PageFailed } from './page-failed.js';

/** The path at which the document was opened: a reload there has already been tried. */
const openedAt = location.pathname;
let wasShown = false;

/**
 * Replaces a page whose code did not load. A document keeps a failed load, so only a reload requests it again: at once,
 * because an update may have removed the code that this document names, and at the next visit. If the service does not
 * answer, the reader sees a message instead; so a page that never loads is not reloaded endlessly.
 */
export function PageMissing() {
  useEffect(() => {
    if (wasShown || location.pathname !== openedAt) void reloadIfAnswered();
    wasShown = true;
  }, []);
  return <PageFailed />;
}

async function reloadIfAnswered(): Promise<void> {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok) location.reload();
}
