import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
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

/** Names and their values, one under another, from a tablet's width on beside one another; what is null is left out. */
export function Facts({ of }: { of: Record<string, ComponentChildren> }) {
  return (
    <dl class={styles.facts}>
      {Object.entries(of)
        .filter(([, value]) => value != null && value !== false)
        .map(([name, value]) => (
          <div key={name} class={styles.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Parts of a page that take the focus when the button that was pressed is removed. It looks as if it were not there. */
export function FocusGroup(props: { at: RefObject<HTMLDivElement | null>; children: ComponentChildren }) {
  return (
    <div ref={props.at} tabIndex={-1} class={styles.group}>
      {props.children}
    </div>
  );
}

/** What became of a request. It takes the focus, since the button that sent it is gone, or was off meanwhile. */
export function Outcome({ isKnown, children }: { isKnown: boolean; children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isKnown) place.current?.focus();
  }, [isKnown]);
  return (
    <div ref={place} tabIndex={-1}>
      {isKnown && children}
    </div>
  );
}
