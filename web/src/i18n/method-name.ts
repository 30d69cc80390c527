import type { TextKey, Translate } from './translate.js';

const methods: Readonly<Record<string, TextKey>> = {
  bank_account: 'common.methodBankAccount',
  mobile_money: 'common.methodMobileMoney',
  cash: 'common.methodCash',
};

/** The name of a delivery method; a method of an anchor that has no text here is shown as the anchor names it. */
export function methodName(method: string, t: Translate): string {
  const key = methods[method];
  return key === undefined ? method : t(key);
}
