import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import styles from './page-heading.module.css';

/** The one h1 of a page. It takes the focus after navigation. */
export function PageHeading(props: {
  title: string;
  /** Names the document where the heading does not say what is shown. */
  documentTitle?: string | undefined;
  children?: ComponentChildren;
}) {
  const { title, documentTitle = title, children } = props;
  useEffect(() => {
    document.title = `${documentTitle} · Fairlead`;
  }, [documentTitle]);
  return (
    <header class={styles.heading}>
      <h1 tabIndex={-1}>{title}</h1>
      {children !== undefined && <div class={styles.lead}>{children}</div>}
    </header>
  );
}
