import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import styles from './page-parts.module.css';

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

/** A part of a page with a heading of its own. */
export function Card(props: { title: string; children: ComponentChildren; aside?: ComponentChildren }) {
  const id = useId();
  return (
    <section class={styles.card} aria-labelledby={id}>
      <div class={styles.head}>
        <h2 id={id}>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  );
}

/** Names and their values, one under another; from a tablet's width on beside one another. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class={styles.facts}>{children}</dl>;
}

export function Fact(props: { name: string; children: ComponentChildren }) {
  return (
    <div class={styles.fact}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

/** Parts of a page that take the focus when the button that was pressed is removed. It looks as if it were not there. */
export function FocusGroup({
  at,
  children,
}: {
  at: RefObject<HTMLDivElement | null>;
  children: ComponentChildren;
}) {
  return (
    <div ref={at} tabIndex={-1} class={styles.group}>
      {children}
    </div>
  );
}
