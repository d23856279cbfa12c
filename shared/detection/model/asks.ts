/** The thresholds from which rarity matters to the detectors that judge by it, in dollars and numbers; Infinity if none asks. */
export type Asks = {
  amount_usd: number;
  hour_usd: number;
  day_usd: number;
  /** Multiples of the usual hour and day that spending must exceed. */
  hour_times: number;
  day_times: number;
  per_minute: number;
  per_hour: number;
  new_payees: number;
  new_payee_usd: number;
  country_usd: number;
};

const nothingAsked: Asks = {
  amount_usd: Infinity,
  hour_usd: Infinity,
  day_usd: Infinity,
  hour_times: Infinity,
  day_times: Infinity,
  per_minute: Infinity,
  per_hour: Infinity,
  new_payees: Infinity,
  new_payee_usd: Infinity,
  country_usd: Infinity,
};

/** The thresholds of all these detectors. */
export const asksOf = (asking: readonly Partial<Asks>[]): Asks => Object.assign({ ...nothingAsked }, ...asking) as Asks;

/** With this few payments, or fewer, nothing is said about an agent's rarity. */
export const LEAST_PAYMENTS = 5;
