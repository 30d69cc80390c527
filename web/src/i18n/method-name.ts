import type { TextKey, Translate } from './translate.js';

const methods: Readonly<Record<string, TextKey>> = {
  bank_account: 'common.methodBankAccount',
  mobile_money: 'common.methodMobileMoney',
  cash: 'common.methodCash',
};

/** A delivery method by its name; anchors may have others, which are shown as they name them. */
export function methodName(method: string, t: Translate): string {
  const key = methods[method];
  return key === undefined ? method : t(key);
}
