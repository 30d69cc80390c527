/** A hash or key, shortened to its ends for the eye; whole on hover, when it is copied, and for screen readers. */
export function Hash({ value }: { value: string }) {
  if (value.length <= 20) return <code>{value}</code>;
  return (
    <code title={value}>
      {value.slice(0, 8)}…{value.slice(-8)}
    </code>
  );
}
