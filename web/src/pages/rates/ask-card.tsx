import type { CorridorAnswer, RateQuote } from '@fairlead/contract/client';
import { Select } from '../../components/controls.js';
import { Changing } from '../../components/inline.js';
import { codeOf } from '../../data/corridors.js';
import { shortName } from '../../figures/anchor-name.js';

import { useLanguage } from '../../i18n/language.js';
import { methodName } from '../../i18n/translate.js';
import { AmountSide } from './amount-side.js';
import styles from './ask-card.module.css';
import { LiveMark } from './live-mark.js';
import { sorts } from './order-quotes.js';
import { PlacePicker } from './place-picker.js';
import { roundAmount } from './typed-amount.js';
import type { Board } from './use-board.js';
import { type RatesView, stablecoinDecimals } from './use-rates-view.js';

/** The question and its answer: what one sends, where to, and what arrives. All other choices are folded. */
export function AskCard(props: {
  corridors: CorridorAnswer[];
  corridor: CorridorAnswer;
  view: RatesView;
  board: Board;
  /** Whether the answer is that of an earlier question. */
  isOfBefore: boolean;
  onUnreadable: (isUnreadable: boolean) => void;
}) {
  const { corridors, corridor, view, board, isOfBefore, onUnreadable } = props;
  const { t, formats } = useLanguage();
  const { best } = board;
  const { receive } = view.asked;
  const isTurned = receive !== undefined;
  const stablecoin = codeOf(corridor.sellAsset);
  const currency = codeOf(corridor.buyAsset);
  const refusal = board.isAmountRefused
    ? t('rates.amountRefused', {
        min: formats.number(corridor.min),
        max: formats.asset(corridor.max, stablecoin),
      })
    : undefined;
  const turn = () => {
    onUnreadable(false);
    if (isTurned) view.askToSell(view.amountBefore);
    else view.askToReceive(roundAmount(best?.receiveAmount ?? corridor.referenceAmount));
  };
  const answered = isTurned
    ? best && formats.asset(best.sellAmount, stablecoin)
    : best && formats.money(best.receiveAmount, currency);
  return (
    <section class={styles.card} aria-label={t('rates.ask')}>
      <div class={styles.sides}>
        <AmountSide
          key={String(isTurned)}
          label={t(isTurned ? 'rates.theyGet' : 'rates.youSend')}
          code={isTurned ? currency : stablecoin}
          decimals={isTurned ? corridor.payoutDecimals : stablecoinDecimals}
          value={isTurned ? receive : view.amount}
          onSettle={isTurned ? view.askToReceive : view.askToSell}
          onUnreadable={onUnreadable}
          refusal={refusal}
          {...(!isTurned && { min: corridor.min, max: corridor.max, byDefault: corridor.referenceAmount })}
        />
        <button type="button" class={styles.turn} aria-label={t('rates.turn')} onClick={turn}>
          ⇄
        </button>
        <div class={isOfBefore ? styles.before : undefined}>
          <p class={styles.label}>{t(isTurned ? 'rates.youSend' : 'rates.theyGet')}</p>
          <p class={styles.figure}>{answered ? <Changing value={answered}>{answered}</Changing> : '–'}</p>
          {best && <Promised best={best} />}
        </div>
      </div>
      <PlacePicker corridors={corridors} corridor={corridor} onChoose={view.goTo} />
      <details>
        <summary>
          {t('rates.filter')}
          {view.asked.deliveryMethod && `: ${methodName(view.asked.deliveryMethod, t)}`}
        </summary>
        <Filter corridor={corridor} view={view} />
      </details>
      {board.shown && board.liveness && <LiveMark liveness={board.liveness} asOf={board.shown.asOf} />}
    </section>
  );
}

function Promised({ best }: { best: RateQuote }) {
  const { t, formats } = useLanguage();
  const { p50SettleSeconds } = best.reputation;
  return (
    <p class={styles.from}>
      {p50SettleSeconds === null
        ? t('rates.from', { anchor: shortName(best) })
        : t('rates.fromUsually', { anchor: shortName(best), time: formats.within(p50SettleSeconds) })}
    </p>
  );
}

function Filter({ corridor, view }: { corridor: CorridorAnswer; view: RatesView }) {
  const { t } = useLanguage();
  return (
    <div class={styles.choices}>
      <Select
        label={t('rates.method')}
        options={[
          ['', t('rates.methodAny')],
          ...corridor.deliveryMethods.map((method) => [method, methodName(method, t)] as const),
        ]}
        value={view.asked.deliveryMethod ?? ''}
        onChoose={view.chooseMethod}
      />
      <Select
        label={t('rates.sort')}
        options={sorts.map((sort) => [sort, t(`rates.sort_${sort}`)])}
        value={view.sort}
        onChoose={view.chooseSort}
      />
    </div>
  );
}
