import { Component, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../components/controls.js';
import { PageHeading } from '../components/page-parts.js';
import { useLanguage } from '../i18n/language.js';

interface Props {
  path: string;
  children: ComponentChildren;
}

/** Keeps a fault within the page that has it: the header stays, and another page can be chosen. */
export class PageBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.hasFailed && before.path !== this.props.path) this.setState({ hasFailed: false });
  }

  override render() {
    return this.state.hasFailed ? <PageFailed /> : this.props.children;
  }
}

/**
 * Replaces a page whose code did not load, or that has a fault. The code may be gone because the service was updated: a
 * reload then fetches the new code.
 */
function PageFailed() {
  const { t } = useLanguage();
  const reload = () => location.reload();
  useEffect(() => {
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, []);
  if (!navigator.onLine)
    return <PageHeading title={t('common.problem_offline')}>{t('common.offlineWait')}</PageHeading>;
  return (
    <>
      <PageHeading title={t('common.pageFailed')}>{t('common.pageFailedWhy')}</PageHeading>
      <p>
        <Button onClick={reload}>{t('common.reload')}</Button>
      </p>
    </>
  );
}

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

export function PageNotFound() {
  const { t } = useLanguage();
  return (
    <PageHeading title={t('common.notFound')}>
      <a href="/">{t('common.toRates')}</a>
    </PageHeading>
  );
}
