import type { Payment } from '#shared/events/log/payment.ts';
import { areOtherAccounts } from './accounts.ts';
import type { PaymentReport } from './detector.ts';
import { byOccurrence, isSettlement, standingFor } from './reports.ts';

/** Whether a payment was authorized for one payee and settled for another. */
export const isRedirected = ({ authorized_payee, settled_payee }: Payment): boolean =>
  authorized_payee !== null && settled_payee !== null && authorized_payee !== settled_payee;

/** A settlement, and the authorization that stood then, which names another account to pay. */
export type Redirection = { settled: PaymentReport; authorized: PaymentReport };

/** The redirection that the report at `seq`, the last of these that was made known, tells of; null where it tells of none. */
export function redirectionOf(reports: readonly PaymentReport[], seq: number): Redirection | null {
  const sorted = reports.toSorted(byOccurrence);
  for (const settled of sorted.filter(isSettlement)) {
    const authorized = standingFor(settled, sorted);
    if (!authorized || !areOtherAccounts(authorized.payee_key, settled.payee_key)) continue;
    if (settled.chain_seq === seq || authorized.chain_seq === seq) return { settled, authorized };
  }
  return null;
}
