import { z } from 'zod';
import { type DetectionEvent, isUndone, type Payment } from '#shared/events/log/payment.ts';
import { detector, type Finding, type PaymentReport } from '#shared/detection/model/detector.ts';
import { compared, mayBeOne, ownTextPriced } from '#shared/detection/model/reported_amount.ts';
import { isAuthorization } from '#shared/detection/model/reports.ts';
import { bigMax } from '#shared/detection/model/score.ts';
import { amountsText, momentText } from '#shared/detection/model/wording.ts';

/** The reports on a payment contradict each other, so it is unclear whether, or how much, money has left. */
export const statusConflict = detector({
  name: 'status_conflict',
  of_payment_alone: true,
  about:
    'Reports of one payment contradict each other: settled and then undone, settled for two amounts, refunded more than was paid, or two sources disagree.',
  params: z.strictObject({}),
  judge(event, { reports, payment, former }) {
    if (isOverRefunded(payment) && !(former && isOverRefunded(former))) return overRefund(event, payment);
    const isAuthorized = event.type === 'payment.authorized';
    if (reports.length === 0 || !(isAuthorized || isOutcome(event))) return null;
    const conflicts = isAuthorized ? disagreementOn(event, reports) : conflictsOf(reports.toSorted(byOccurrence));
    const [first] = conflicts;
    if (!first) return null;
    const conflicting = [...new Set(conflicts.flatMap(({ pair }) => pair))].toSorted(byOccurrence);
    return {
      score: 65,
      title: first.title,
      explanation:
        `Of one payment to {payee} ${conflicting.map(report => reportText(report, conflicting)).join('; ')}. ` +
        'An alert is raised when a settled payment fails or is canceled later, when a canceled one settles, when a payment is settled for two amounts, or when two sources disagree, also on what was authorized. ' +
        (conflicts.some(({ pair }) => isReturn(pair, payment)) ? returnHint : '') +
        'Check the statement of the paying account before paying again or relying on the money.' +
        (first.title === twoAmounts ? partsHint : ''),
      subject: event.payment_id,
      seqs: conflicting.map(({ chain_seq }) => chain_seq),
      gathers: true,
    };
  },
});

/** A single refund that is above the price: several may be one that two sources report. Of an authorization, other captures may come back with it. */
const isOverRefunded = ({ settled, paid_micro, authorized_micro, largest_refund_micro }: Payment) =>
  settled && paid_micro > 0n && largest_refund_micro * 10n > bigMax(paid_micro, authorized_micro ?? 0n) * 11n;

function overRefund({ chain_seq }: DetectionEvent, { payment_id, paid_micro, largest_refund_micro }: Payment): Finding {
  const [refund, price] = amountsText(largest_refund_micro, paid_micro);
  return {
    score: 65,
    title: `{payee} refunded ${refund} of a payment of ${price}`,
    explanation:
      `${refund} was refunded of one payment to {payee} of which ${price} was settled. An alert is raised when one refund is more than a ` +
      'tenth above what was paid. Before any of it is sent back, find out where it came from: overpaying and asking for the rest is a ' +
      'common fraud.',
    subject: payment_id,
    seqs: [chain_seq],
    gathers: true,
  };
}

const twoAmounts = 'A payment to {payee} was settled for two amounts';
const partsHint = ' If these are parts of one authorization, have each reported as a payment of its own.';

/** Of a bank transfer, a failure that follows the settlement is as a rule a return. */
const isReturn = ([first, second]: Conflict['pair'], { rail }: Payment) =>
  (rail === 'ach' || rail === 'sepa') && isSettled(first) && second.type === 'payment.failed';
const returnHint =
  'A bank can return such a transfer for days after it settled: then the money has come back, and the payee was not paid. ';

type Conflict = { title: string; pair: [PaymentReport, PaymentReport] };

/** `reports` in order of occurrence. A failure that the same source later reports as settled is a retry. */
function conflictsOf(reports: readonly PaymentReport[]): Conflict[] {
  const conflicts: Conflict[] = [];
  const settled = reports.find(isSettled);
  if (!settled) return conflicts;
  const other = reports.find(report => isSettled(report) && !isSameAmount(report, settled));
  if (other) conflicts.push({ title: twoAmounts, pair: [settled, other] });
  const undone = reports.find(({ type, occurred_at }) => isUndone(type) && occurred_at > settled.occurred_at);
  if (undone) {
    const title = `A payment to {payee} ${verbOf(undone)} after it was settled`;
    return [...conflicts, { title, pair: [settled, undone] }];
  }
  const canceled = reports.find(
    report => report.type === 'payment.canceled' && !isBegunAgain(report, settled, reports),
  );
  if (canceled) {
    const title = 'A payment to {payee} was settled after it was canceled';
    return [...conflicts, { title, pair: [canceled, settled] }];
  }
  const lastWords = [...new Map(reports.filter(isOutcome).map(report => [report.source_id, report])).values()];
  const unpaid = lastWords.find(({ type }) => isUndone(type));
  const paid = unpaid && lastWords.find(report => isSettled(report) && !isRetry(report, reports));
  if (paid) conflicts.push({ title: 'Two sources disagree on a payment to {payee}', pair: [unpaid, paid] });
  return conflicts;
}

/** Two sources, neither of which has reported an amount that the other has: more may be authorized from time to time, and one hears of it later. */
function disagreementOn({ chain_seq }: DetectionEvent, reports: readonly PaymentReport[]): Conflict[] {
  const authorized = reports.filter(isAuthorization);
  const own = authorized.find(report => report.chain_seq === chain_seq);
  const isOf = (source_id: string) => authorized.filter(report => report.source_id === source_id);
  const other = authorized.find(
    ({ source_id }) =>
      own !== undefined &&
      source_id !== own.source_id &&
      !isOf(source_id).some(theirs => isOf(own.source_id).some(ours => isSameAmount(ours, theirs))),
  );
  if (!own || !other) return [];
  return [{ title: 'Two sources disagree on what {payee} may be paid', pair: [other, own] }];
}

/** Whether it was asked for or authorized anew between its cancellation and its settlement. */
const isBegunAgain = (canceled: PaymentReport, settled: PaymentReport, reports: readonly PaymentReport[]) =>
  reports.some(
    ({ type, occurred_at }) =>
      (type === 'payment.requested' || type === 'payment.authorized') &&
      occurred_at >= canceled.occurred_at &&
      occurred_at <= settled.occurred_at,
  );

/** The settling source reported the failure itself: another report of it, from before, is no contradiction. */
const isRetry = ({ source_id, occurred_at }: PaymentReport, reports: readonly PaymentReport[]) =>
  reports.some(other => other.source_id === source_id && isUndone(other.type) && other.occurred_at <= occurred_at);

const isSettled = ({ type }: Pick<PaymentReport, 'type'>) => type === 'payment.settled';
const isOutcome = (report: Pick<PaymentReport, 'type'>) => isSettled(report) || isUndone(report.type);

/** Of simultaneous reports a failure comes before the settlement, whichever arrived first. */
const byOccurrence = (a: PaymentReport, b: PaymentReport) =>
  a.occurred_at - b.occurred_at || Number(isSettled(a)) - Number(isSettled(b)) || a.chain_seq - b.chain_seq;

/** Two sources may count one amount in two units: as stablecoin and in whole cents, or before and after it was exchanged. */
const isSameAmount = (a: PaymentReport, b: PaymentReport): boolean =>
  a.price_key === b.price_key || (mayBeOne(a, b) && (a.source_id !== b.source_id || !compared(a, b)?.exchanged));

const verbOf = ({ type }: PaymentReport) => (type === 'payment.failed' ? 'failed' : 'was canceled');

function reportText(report: PaymentReport, conflicting: readonly PaymentReport[]): string {
  const { source_id, source_name, occurred_at } = report;
  const isShared = conflicting.some(other => other.source_name === source_name && other.source_id !== source_id);
  const source = `“${source_name}”${isShared ? ` (${source_id})` : ''}`;
  const outcome = hasAmount(report)
    ? `was ${isSettled(report) ? 'settled' : 'authorized'} for ${amountText(report, conflicting)}`
    : verbOf(report);
  return `${source} reported that it ${outcome} at ${momentText(occurred_at)}`;
}

const hasAmount = (report: PaymentReport) => isSettled(report) || isAuthorization(report);

/** Next to another amount, it must not look the same. */
function amountText(report: PaymentReport, conflicting: readonly PaymentReport[]): string {
  const own = ownTextPriced(report);
  if (own !== null) return own;
  const { usd_micro, price_key } = report;
  const other = conflicting.find(report => hasAmount(report) && report.price_key !== price_key);
  if (usd_micro !== null) return amountsText(usd_micro, other?.usd_micro ?? usd_micro)[0];
  const first = conflicting.find(hasAmount);
  return `${first?.price_key === price_key ? 'an' : 'another'} amount for which no price in dollars is known`;
}
