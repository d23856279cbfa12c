import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { moneyText, periodOf } from '#shared/mandates/describe.ts';
import { formatDuration } from '#shared/values/time.ts';
import { timeText, wordsOf } from '#api/dashboard/browser/parts/format.ts';

/** A constraint as a mandate has it. */
export type Terms = { type: string } & Record<string, unknown>;

/** A constraint as people say it. One that only its signer knows is named. */
export function constraintText(terms: Terms): string {
  const words = sentences[terms.type];
  return words ? words(terms) : `${wordsOf(terms.type)}: not known here, and every payment is left unresolved by it`;
}

const money = (terms: Terms, member: string) => moneyText(String(terms[member]), terms);
const some = (values: unknown): string => {
  const texts = Array.isArray(values) ? values.map(textOf) : [];
  const shown = texts.slice(0, 8).join(', ');
  return texts.length > 8 ? `${shown} and ${texts.length - 8} more` : shown;
};

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { name, key, domain, website, merchant_id, network, address } = value as Record<string, unknown>;
  if (typeof network === 'string' && typeof address === 'string')
    return `${assetByKey(assetKey(network, address))?.symbol ?? address} on ${network}`;
  const named = name ?? merchant_id;
  if (named !== undefined) return website === undefined ? String(named) : `${String(named)} (${String(website)})`;
  return String(key ?? domain ?? JSON.stringify(value));
}

const zoned = ({ tz }: Terms) => (tz === undefined || tz === 'UTC' ? 'UTC' : String(tz));

const sentences: Record<string, (terms: Terms) => string> = {
  'payment.amount_range': terms =>
    terms['min'] === undefined || terms['min'] === '0'
      ? `Each payment is at most ${money(terms, 'max')}`
      : `Each payment is from ${money(terms, 'min')} to ${money(terms, 'max')}`,
  'payment.budget': terms =>
    terms['interval'] === 'per_mandate'
      ? `At most ${money(terms, 'max')} in all`
      : `At most ${money(terms, 'max')} in ${periodOf(terms).replace(/^the /, 'a calendar ')}`,
  'payment.velocity': ({ max, window_s }) =>
    `At most ${String(max)} ${max === 1 ? 'payment' : 'payments'} within any ${formatDuration(Number(window_s) * 1_000)}`,
  'payment.agent_recurrence': recurrence,
  'payment.approval_required': terms => `Above ${money(terms, 'above')} a person has to approve`,
  'payment.allowed_payees': ({ payees }) => `Only to ${some(payees)}`,
  'payment.blocked_payees': ({ payees }) => `Never to ${some(payees)}`,
  'payment.allowed_rails': ({ values }) => `Only over ${some(values)}`,
  'payment.allowed_currencies': ({ values }) => `Only in ${some(values)}`,
  'payment.allowed_networks': ({ values }) => `Only on ${some(values)}`,
  'payment.allowed_assets': ({ assets }) => `Only with ${some(assets)}`,
  'payment.allowed_countries': ({ values }) => `Only to payees in ${some(values)}`,
  'payment.blocked_countries': ({ values }) => `Never to payees in ${some(values)}`,
  'payment.allowed_categories': ({ mcc }) => `Only for merchant categories ${some(mcc)}`,
  'payment.blocked_categories': ({ mcc }) => `Never for merchant categories ${some(mcc)}`,
  'payment.allowed_payment_instruments': ({ ids }) => `Only with the instruments ${some(ids)}`,
  'payment.allowed_pisps': ({ ids }) => `Only through the payment services ${some(ids)}`,
  'payment.allowed_resources': ({ prefixes }) => `Only for ${some(prefixes)}`,
  'payment.time_of_day': terms =>
    `Only from ${String(terms['from'])} to ${String(terms['to'])} (${zoned(terms)}) on ${some(terms['days'] ?? ['every day'])}`,
  'payment.execution_date': ({ not_before, not_after }) =>
    [
      typeof not_before === 'string' && `Not before ${timeText(not_before)}`,
      typeof not_after === 'string' && `${not_before === undefined ? 'Not' : 'not'} after ${timeText(not_after)}`,
    ]
      .filter(Boolean)
      .join(', '),
  'payment.reference': ({ hash }) => `Only for the checkout with the hash ${String(hash)}`,
};

function recurrence({ frequency, max_occurrences }: Terms): string {
  const often = frequencies[String(frequency)] ?? String(frequency);
  const all = max_occurrences === undefined ? '' : `, at most ${String(max_occurrences)} in all`;
  return `${often}${all}`;
}

const frequencies: Record<string, string> = {
  ON_DEMAND: 'Payments at any time',
  DAILY: 'One payment a day',
  WEEKLY: 'One payment a week',
  BIWEEKLY: 'One payment in two weeks',
  MONTHLY: 'One payment a month',
  QUARTERLY: 'One payment a quarter',
  ANNUALLY: 'One payment a year',
};
