import { isUndone } from '#shared/events/log/payment.ts';
import type { PaymentReport } from './detector.ts';

export const isSettlement = ({ type }: PaymentReport) => type === 'payment.settled';
export const isAuthorization = ({ type }: PaymentReport) => type === 'payment.authorized';

/** In the order in which they occurred; simultaneous ones as they arrived. */
export const byOccurrence = (a: PaymentReport, b: PaymentReport) =>
  a.occurred_at - b.occurred_at || a.chain_seq - b.chain_seq;

/** The authorization that stood when this was settled: the latest until then, unless it was undone in between. `reports` in order of occurrence. */
export function standingFor(settled: PaymentReport, reports: readonly PaymentReport[]): PaymentReport | null {
  const until = reports.filter(({ occurred_at }) => occurred_at <= settled.occurred_at);
  const latest = until.findLast(report => isAuthorization(report) || isUndone(report.type));
  return latest && isAuthorization(latest) ? latest : null;
}
