import styles from './tag.module.css';

/** A property in a word or two; `title` explains it. */
export function Tag(props: { text: string; title?: string | undefined; tone?: 'plain' | 'accent' | 'warn' }) {
  const { text, title, tone = 'plain' } = props;
  return (
    <span class={`${styles.tag} ${styles[tone]}`} title={title}>
      {text}
    </span>
  );
}
