import type { ComponentChildren } from 'preact';
import styles from './record-table.module.css';

export interface Column<Row> {
  label: string;
  cell: (row: Row) => ComponentChildren;
  /**
   * `name` heads its row, and `main` is the most important value: both head the card. The figures of a column are
   * aligned at their end.
   */
  kind?: 'name' | 'main' | 'figure';
}

/** Records in rows; where there is no room for columns, each is a card that repeats the labels. */
export function RecordTable<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  const { caption, columns, rows, keyOf } = props;
  return (
    <div class={styles.frame}>
      <table class={styles.table}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, kind = 'plain' }) => (
              <th key={label} scope="col" class={styles[kind]}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ label, cell, kind = 'plain' }) =>
                kind === 'name' ? (
                  <th key={label} scope="row" class={styles.name}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={label} data-label={label} class={styles[kind]}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
