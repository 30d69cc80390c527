import { useEffect } from 'preact/hooks';
import { PageFailed } from './page-failed.js';

/** Where the document was opened: a reload there has been tried already. */
const openedAt = location.pathname;
let wasShown = false;

/**
 * In place of a page whose code did not arrive. A document keeps what failed to load, so only a reload asks for it again:
 * at once, since an update may have taken the code away that this document knows, and at the next visit. Where nothing
 * answers, the reader is told instead; so a page that never arrives is not reloaded for ever.
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
