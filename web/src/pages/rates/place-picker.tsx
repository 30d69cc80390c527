import type { CorridorAnswer } from '@fairlead/contract/client';
import { useId, useRef, useState } from 'preact/hooks';
import { codeOf } from '../../data/corridors.js';
import { placeOf } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './place-picker.module.css';

/** Where the money goes: the countries and currencies by their names, with a search. */
export function PlacePicker(props: {
  corridors: readonly CorridorAnswer[];
  corridor: CorridorAnswer;
  onChoose: (corridorId: string) => void;
}) {
  const { corridors, corridor, onChoose } = props;
  const { t, locale } = useLanguage();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [sought, setSought] = useState('');
  const chosen = placeOf(corridor, locale);
  const hasAssets = new Set(corridors.map(({ sellAsset }) => sellAsset)).size > 1;
  const found = corridors
    .map((each) => ({ ...placeOf(each, locale), id: each.id, asset: codeOf(each.sellAsset) }))
    .filter(({ place, currency, asset }) => plain(`${place} ${currency} ${asset}`).includes(plain(sought)))
    .sort((a, b) => a.place.localeCompare(b.place, locale));
  const choose = (corridorId: string) => {
    list.current?.hidePopover();
    onChoose(corridorId);
  };
  return (
    <div>
      <button type="button" class={styles.chosen} popovertarget={id}>
        <span class="visually-hidden">{t('rates.place')}: </span>
        <strong>{chosen.place}</strong> {chosen.currency} <span aria-hidden="true">▾</span>
      </button>
      <div id={id} ref={list} popover="auto" class={styles.picker}>
        <input
          type="search"
          autofocus
          aria-label={t('rates.placeSearch')}
          placeholder={t('rates.placeSearch')}
          value={sought}
          onInput={(event) => setSought(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && found[0] && choose(found[0].id)}
        />
        <ul>
          {found.map(({ id, place, currency, asset }) => (
            <li key={id}>
              <button type="button" aria-current={id === corridor.id} onClick={() => choose(id)}>
                <strong>{place}</strong> {currency}
                {hasAssets && ` · ${asset}`}
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p role="status">{t('rates.placeNone')}</p>}
      </div>
    </div>
  );
}

/** In lower case and without accents, so that `senegal` finds Sénégal. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
