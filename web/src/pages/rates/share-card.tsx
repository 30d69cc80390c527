import type { CorridorAnswer } from '@fairlead/contract/client';
import { Card } from '../../components/card.js';
import { Copyable } from '../../components/copyable.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './share-card.module.css';
import type { RatesView } from './use-rates-view.js';

/** The address of this view, and the board for a frame in somebody else's page. */
export function ShareCard({ corridor, view }: { corridor: CorridorAnswer; view: RatesView }) {
  const { t, locale } = useLanguage();
  const page = new URLSearchParams(location.search);
  page.set('lang', locale);
  const board = new URLSearchParams({ ...view.asked, sort: view.sort, lang: locale });
  const address = (path: string, parts: URLSearchParams) =>
    `${location.origin}/${path}/${corridor.id}?${parts}`;
  const title = t('rates.title');
  const frame = `<iframe src="${address('embed', board)}" title="${title}" width="100%" height="800" loading="lazy"></iframe>`;
  return (
    <Card title={t('rates.share')}>
      <div class={styles.ways}>
        <div>
          <h3>{t('rates.shareLink')}</h3>
          <Copyable text={address('rates', page)} name={t('rates.shareLink')} />
        </div>
        <div>
          <h3>{t('rates.embed')}</h3>
          <Copyable text={frame} name={t('rates.embed')} />
          <p class={styles.about}>{t('rates.embedAbout')}</p>
        </div>
      </div>
    </Card>
  );
}
