import type { Amount, EventPayment } from '#shared/events/log/events.ts';
import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { agoText, amountText, rowTime, shortened, timeText, usdText } from './format.ts';
import { useCopy } from './use_copy.ts';

/** A time in the reader's zone; in UTC, to the millisecond, for whoever points at it. */
export const Time = ({ at, ago = false, row = false }: { at: string; ago?: boolean; row?: boolean }) => (
  <time dateTime={at} title={`${at.replace('T', ' ').replace('Z', '')} UTC${ago ? ` (${timeText(at)} local)` : ''}`}>
    {ago ? agoText(at) : row ? rowTime(at) : timeText(at)}
  </time>
);

/** An amount in its own unit. */
const Money = ({ amount }: { amount: Amount }) => <Sum text={amountText(amount)} />;

/** An amount stays on one line, unless it is so long that it would leave the page. */
export const Sum = ({ text }: { text: string }) => <span class={text.length < 30 ? 'money' : 'value'}>{text}</span>;

/** US cents as dollars; without a price, a dash that says so. */
export const Usd = ({ cents }: { cents: string | null }) =>
  cents === null ? <span title="No US dollar price available">–</span> : <Sum text={usdText(cents)} />;

/** Micro-dollars that payments come to, to the last digit below a dollar; without a price, a dash that says so. */
export const UsdPaid = ({ micro }: { micro: string | null }) =>
  micro === null ? <Usd cents={null} /> : <Sum text={formatUsdMicro(BigInt(micro))} />;

/** What was paid, and in dollars where it was paid in something else. */
export function Paid({ payment: { amount, amount_usd_minor } }: { payment: EventPayment }) {
  // Of less than ten cents, whole cents say too little; of dollars, nothing new.
  const also = !isDollars(amount) && amount_usd_minor !== null && amount_usd_minor.length > 1;
  return (
    <span class="paid">
      <Money amount={amount} />
      {also && <small class="quiet"> ≈ {usdText(amount_usd_minor)}</small>}
    </span>
  );
}

const isDollars = ({ currency, asset }: Amount): boolean =>
  currency === 'USD' || (asset ? assetByKey(assetKey(asset.network, asset.address))?.currency === 'USD' : false);

/** An id or a key that a click copies. Long ones show their ends only, unless `whole`. */
export function Copy({ text, whole = false, label }: { text: string; whole?: boolean; label?: string }) {
  const { copy, said } = useCopy(text);
  return (
    <button type="button" class="copy" title={`Copy ${text}`} onClick={copy}>
      <span class="unseen">Copy {label} </span>
      <code>{whole ? text : shortened(text)}</code>
      <span class="copied" role="status">
        {said}
      </span>
    </button>
  );
}
