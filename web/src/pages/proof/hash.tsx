import styles from './proof.module.css';

const shownAtEnd = 8;

/** A hash or key, of which the eye sees the ends. The whole text is there, to be copied and to be read aloud. */
export function Hash({ value }: { value: string }) {
  if (value.length <= 20) return <code>{value}</code>;
  return (
    <code title={value}>
      <span class={styles.hashBegin}>{value.slice(0, -shownAtEnd)}</span>
      {value.slice(-shownAtEnd)}
    </code>
  );
}
