import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import type { Context, Finding } from './detector.ts';
import { amountsText, percentText } from './wording.ts';
import { ratio } from './score.ts';
import { formatUsdMicro } from '#shared/values/money.ts';

/** More was settled than was authorized: told by whichever of the two events comes second. Part of price_drift. */
export function overcharge(
  event: DetectionEvent,
  { payment, former }: Pick<Context, 'payment' | 'former'>,
): Finding | null {
  if (!former || event.usd_micro === null) return null;
  const settled = settledAmount(event, former);
  const authorized = payment.authorized_micro;
  if (settled === null || authorized === null || settled <= authorized) return null;
  const more = settled - authorized;
  // A part of less than 0.1 % would read as none.
  const part = authorized > 0n && more * 1_000n >= authorized ? ` (${percentText(ratio(more, authorized))})` : '';
  const [settledText, authorizedText] = amountsText(settled, authorized);
  return {
    score: 95,
    title: `${settledText} settled to {payee}, ${authorizedText} authorized`,
    explanation:
      `${settledText} was settled to {payee} for a payment of which ${authorizedText} was authorized: ` +
      `${formatUsdMicro(more)}${part} more. An alert is raised whenever more is settled than was authorized.`,
    subject: event.payee_id,
    seqs: [event.chain_seq, former.latest_seq],
  };
}

/**
 * What was settled against the authorization that stands, in micro-USD; null where the event tells of neither, or where both were
 * the same price: in another currency the dollars differ from day to day.
 */
function settledAmount({ type, occurred_at, usd_micro, price_key }: DetectionEvent, former: Payment): bigint | null {
  const { authorized_at, settled_at, settled_key } = former;
  if (type === 'payment.settled') {
    const isAfter = authorized_at !== null && authorized_at <= occurred_at;
    return isAfter && former.price_key !== price_key ? usd_micro : null;
  }
  if (type !== 'payment.authorized' || settled_at === null || settled_key === price_key) return null;
  const stands = settled_at >= occurred_at && occurred_at >= (authorized_at ?? occurred_at);
  return stands ? former.paid_micro : null;
}
