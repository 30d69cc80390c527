/** The outcomes of one account in one corridor of an anchor on one UTC day. */
export interface CountedAccountDay {
  day: string;
  corridor: string;
  account: string;
  outcomes: number;
}

/** How the outcomes of a card are spread over accounts and days. */
export interface Spread {
  /** Outcomes per account, from the account-days that were read. */
  byAccount: Map<string, number>;
  /** Outcomes by UTC day. */
  byDay: Map<string, number>;
}

/** How many account-days of an anchor are read for its cards, newest first, so that a refresh has a bounded cost. */
export const maxAccountDays = 20_000;

export function emptySpread(): Spread {
  return { byAccount: new Map(), byDay: new Map() };
}

export function addAccountDay({ byAccount }: Spread, { account, outcomes }: CountedAccountDay): void {
  byAccount.set(account, (byAccount.get(account) ?? 0) + outcomes);
}

export function addDay({ byDay }: Spread, day: string, outcomes: number): void {
  byDay.set(day, (byDay.get(day) ?? 0) + outcomes);
}
