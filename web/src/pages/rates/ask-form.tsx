import type { CorridorAnswer } from '@fairlead/contract/client';
import { Choice } from '../../components/choice.js';
import { Field } from '../../components/field.js';
import { codeOf } from '../../data/corridors.js';
import { corridorChoice } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { methodName } from '../../i18n/method-name.js';
import { AmountField } from './amount-field.js';
import styles from './ask-form.module.css';
import { roundAmount } from './typed-amount.js';
import { type RatesView, stablecoinDecimals } from './use-rates-view.js';

/** What the board is asked: which corridor, how much, which way round and how it is paid out. */
export function AskForm(props: {
  corridors: CorridorAnswer[];
  corridor: CorridorAnswer;
  view: RatesView;
  /** Why the service refused the amount. */
  refusal: string | undefined;
  /** The payout of the best offer, which is the first value when the direction is reversed. */
  payout: string | undefined;
}) {
  const { corridors, corridor, view, refusal, payout } = props;
  const { t, locale } = useLanguage();
  const { receive, deliveryMethod } = view.asked;
  const stablecoin = codeOf(corridor.sellAsset);
  const currency = codeOf(corridor.buyAsset);
  const turn = (direction: string) => {
    if (direction === 'amount') view.askToSell(view.amountBefore);
    else view.askToReceive(roundAmount(payout ?? corridor.referenceAmount));
  };
  return (
    <div class={styles.form}>
      <Field label={t('rates.corridor')}>
        {(ids) => (
          <select {...ids} value={corridor.id} onChange={(event) => view.goTo(event.currentTarget.value)}>
            {corridors.map(({ id, buyAsset }) => (
              <option key={id} value={id}>
                {corridorChoice(id, codeOf(buyAsset), locale)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Choice
        legend={t('rates.direction')}
        value={receive === undefined ? 'amount' : 'receive'}
        options={[
          { value: 'amount', label: t('rates.toSend', { code: stablecoin }) },
          { value: 'receive', label: t('rates.toReceive', { code: currency }) },
        ]}
        onChoose={turn}
      />
      {receive === undefined ? (
        <AmountField
          key={`${corridor.id} amount`}
          label={t('rates.amountToSend')}
          code={stablecoin}
          decimals={stablecoinDecimals}
          min={corridor.min}
          max={corridor.max}
          byDefault={corridor.referenceAmount}
          value={view.amount}
          onSettle={view.askToSell}
          refusal={refusal}
        />
      ) : (
        <AmountField
          key={`${corridor.id} receive`}
          label={t('rates.amountToReceive')}
          code={currency}
          decimals={corridor.payoutDecimals}
          value={receive}
          onSettle={view.askToReceive}
          refusal={refusal}
        />
      )}
      <Field label={t('rates.method')}>
        {(ids) => (
          <select
            {...ids}
            value={deliveryMethod ?? ''}
            onChange={(event) => view.chooseMethod(event.currentTarget.value)}
          >
            <option value="">{t('rates.methodAny')}</option>
            {corridor.deliveryMethods.map((method) => (
              <option key={method} value={method}>
                {methodName(method, t)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
