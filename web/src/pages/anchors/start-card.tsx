import type { AnchorAnswer, StartingPoint } from '@fairlead/contract/client';
import { Choice } from '../../components/controls.js';
import { Empty } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { useViewPart } from '../../data/use-view-part.js';
import { siteOf } from '../../figures/anchor-name.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './anchors.module.css';
import { startParameters } from './start-parameters.js';
import type { RecordView } from './use-record-view.js';

/** How a wallet begins a withdrawal here: the steps with their addresses, and the call that returns them to a program. */
export function StartCard({ anchor, view }: { anchor: AnchorAnswer; view: RecordView }) {
  const { t, locale } = useLanguage();
  const [chosen, choose] = useViewPart('protocol', 'sep24');
  const corridors = [...new Set(anchor.start.map(({ corridor }) => corridor))];
  const corridor = corridors.find((id) => id === view.corridor) ?? corridors[0];
  const points = anchor.start.filter((point) => point.corridor === corridor);
  const point = points.find(({ protocol }) => protocol === chosen) ?? points[0];
  if (corridor === undefined || point === undefined) return <Empty title={t('anchors.startNone')} />;
  return (
    <Card title={t('anchors.startIn', { corridor: corridorName(corridor, locale) })}>
      <p class={styles.note}>{t('anchors.startAbout')}</p>
      <Choice
        legend={t('anchors.protocol')}
        options={points.map(({ protocol }) => ({
          value: protocol,
          label: t(`anchors.protocol_${protocol}`),
        }))}
        value={point.protocol}
        onChoose={choose}
      />
      <Steps anchor={anchor} point={point} />
      <p class={styles.note}>{t('anchors.startOfframp')}</p>
    </Card>
  );
}

function Steps({ anchor, point }: { anchor: AnchorAnswer; point: StartingPoint }) {
  const { t } = useLanguage();
  const { homeDomain, signingKey } = anchor;
  const step = (text: TextKey, ...codes: (string | null)[]) => (
    <li>
      <span>{t(text)}</span>
      {codes.map((code) => code !== null && <code key={code}>{code}</code>)}
    </li>
  );
  return (
    <ol class={styles.steps}>
      {homeDomain !== null &&
        step(
          'anchors.stepToml',
          `${siteOf(homeDomain)}/.well-known/stellar.toml`,
          signingKey && `SIGNING_KEY=${signingKey}`,
        )}
      {point.webAuthEndpoint !== null && step('anchors.stepAuth', point.webAuthEndpoint)}
      {step('anchors.stepIntent', 'POST /api/intent/offramp')}
      {step(`anchors.step_${point.protocol}`, `${point.method} ${point.url}`, startParameters(point))}
      <li>
        <span>{t('anchors.stepFollow')}</span>
        <a href="/offramp">{t('anchors.toOfframp')}</a>
      </li>
    </ol>
  );
}
