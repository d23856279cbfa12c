import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { areOtherAccounts } from './accounts.ts';
import type { PaymentReport } from './detector.ts';

const moving = new Set(['payment.authorized', 'payment.settled']);

/** Whether a payment that was authorized or settled for one payee is reported for another now. */
export const isRedirected = ({ type, payee_id }: DetectionEvent, former: Payment | undefined): boolean =>
  former !== undefined && moving.has(type) && former.paid_at !== null && former.payee_id !== payee_id;

/** The latest other report of a payment that names another account to pay than the one at `seq`; null where none does, or it names no account. */
export function redirectionOf(
  reports: readonly PaymentReport[],
  seq: number,
): { own: PaymentReport; other: PaymentReport } | null {
  const own = reports.find(({ chain_seq }) => chain_seq === seq);
  const other = reports.findLast(
    report => own && moving.has(report.type) && areOtherAccounts(report.payee_key, own.payee_key),
  );
  return own && other ? { own, other } : null;
}
