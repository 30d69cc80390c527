import { Choice, Select } from '../../components/controls.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './anchors.module.css';
import { type RecordView, windows } from './use-record-view.js';

/** The choices of corridor and window. */
export function RecordChoices(props: {
  view: RecordView;
  /** Ids of the corridors to choose from; one that the address names besides is kept. */
  corridors: readonly string[];
}) {
  const { view } = props;
  const { t, locale } = useLanguage();
  const corridors = new Set([...props.corridors, ...(view.corridor === undefined ? [] : [view.corridor])]);
  return (
    <div class={styles.choices}>
      <Select
        label={t('anchors.corridor')}
        options={[
          ['', t('anchors.allCorridors')],
          ...[...corridors].map((id) => [id, corridorName(id, locale)] as const),
        ]}
        value={view.corridor ?? ''}
        onChoose={view.chooseCorridor}
      />
      <Choice
        legend={t('anchors.window')}
        options={windows.map((value) => ({ value, label: t('anchors.days', { days: Number(value) }) }))}
        value={view.window}
        onChoose={view.chooseWindow}
      />
    </div>
  );
}
