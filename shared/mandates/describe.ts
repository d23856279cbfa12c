import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import type { ConstraintResult } from './evaluation.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';

/** A constraint as it stands in a mandate: of a known type, or of one that only its signer knows. */
type Terms = { type: string } & Record<string, unknown>;

/**
 * What a constraint makes of a payment, for people: what was paid, and what is allowed. Without a full stop. `terms` is undefined for what
 * the mandate says beside its constraints.
 */
export function describeResult(result: ConstraintResult, terms: Terms | undefined): string {
  const { type, code, observed, limit } = result;
  const known = sentences.get(type);
  const inPart = type === 'payment.budget' && observed !== null;
  if (!known || (result.result === 'unresolved' && !inPart))
    return `${nameOf(type)} could not be judged${code ? ` (${code})` : ''}`;
  const text = (value: string | null) => (value === null ? 'nothing known' : moneyText(value, terms));
  const sentence = known({ code, observed: text(observed), limit: text(limit), terms: terms ?? { type } });
  return result.result === 'unresolved' ? `${sentence}, beside what could not be priced` : sentence;
}

type Told = { code: string | undefined; observed: string; limit: string; terms: Terms };

const sentences: ReadonlyMap<string, (told: Told) => string> = new Map<string, (told: Told) => string>([
  ['mandate.agent', ({ observed, limit }) => `it is for the agent ${limit}, and the agent ${observed} paid`],
  ['mandate.state', ({ observed }) => `it was ${observed} then`],
  ['mandate.validity', validity],
  ['mandate.human_presence', () => 'a person has to be present or to approve, and nothing shows that one did'],
  ['payment.amount_range', amountRange],
  ['payment.budget', budget],
  ['payment.agent_recurrence', recurrence],
  [
    'payment.velocity',
    ({ observed, limit, terms }) =>
      `${observed} payments within ${formatDuration(Number(terms['window_s']) * SECOND)}, where ${limit} may be`,
  ],
  ...lists('payee', ['payment.allowed_payees'], ['payment.blocked_payees']),
  ...lists('category', ['payment.allowed_categories'], ['payment.blocked_categories']),
  ...lists("payee's country", ['payment.allowed_countries'], ['payment.blocked_countries']),
  ...lists('instrument', ['payment.allowed_payment_instruments']),
  ...lists('payment service', ['payment.allowed_pisps']),
  ...lists('rail', ['payment.allowed_rails']),
  ...lists('currency', ['payment.allowed_currencies']),
  ...lists('network', ['payment.allowed_networks']),
  ...lists('token', ['payment.allowed_assets']),
  ...lists('resource', ['payment.allowed_resources']),
  ['payment.execution_date', outside],
  ['payment.time_of_day', outside],
  [
    'payment.approval_required',
    ({ observed, limit }) => `${observed} is above ${limit}, and nothing shows that a person approved`,
  ],
]);

function validity({ code, observed, limit }: Told): string {
  const [from, until] = limit.split('/');
  if (code === 'mandate_expired') return `it ended at ${until}, and the payment was at ${observed}`;
  return `it begins at ${from}, and the payment was at ${observed}`;
}

function amountRange({ code, observed, limit }: Told): string {
  const bound = code === 'amount_below_min' ? 'at least' : 'at most';
  return `the payment is ${observed}, where ${bound} ${limit} is allowed`;
}

function budget({ observed, limit, terms }: Told): string {
  return `budget of ${periodOf(terms)}: ${observed} with this payment, ${limit} allowed`;
}

/** The time that a budget is for, as people say it. */
export function periodOf({ interval, window, tz }: Record<string, unknown>): string {
  if (interval === 'per_mandate') return 'the whole mandate';
  const [name, length] = intervals.get(interval) ?? ['period', 'a period'];
  return window === 'rolling'
    ? `any ${length}`
    : `the ${name}${typeof tz !== 'string' || tz === 'UTC' ? '' : ` (${tz})`}`;
}

const intervals = new Map<unknown, [name: string, length: string]>([
  ['hourly', ['hour', '60 minutes']],
  ['daily', ['day', '24 hours']],
  ['weekly', ['week', '7 days']],
  ['monthly', ['month', '30 days']],
  ['yearly', ['year', '365 days']],
]);

function recurrence({ code, observed, limit, terms }: Told): string {
  if (code !== 'too_soon') return `it is payment number ${observed} under the mandate, which may have ${limit}`;
  return `it is payment number ${observed} of its period (${String(terms['frequency']).toLowerCase()}), which may have one`;
}

function outside({ observed, limit }: Told): string {
  return `it was paid at ${observed}, where ${limit} is allowed`;
}

/** What lists of one thing say: those that allow, then those that block. */
function lists(thing: string, allowing: readonly string[], blocking: readonly string[] = []) {
  const allowed = ({ observed, limit }: Told) => `the ${thing} (${observed}) is not among those allowed: ${limit}`;
  const blocked = ({ observed, limit }: Told) => `the ${thing} (${observed}) is among those blocked: ${limit}`;
  return [...allowing.map(type => [type, allowed] as const), ...blocking.map(type => [type, blocked] as const)];
}

const nameOf = (type: string): string => type.replace(/^(payment|mandate)\./, '').replaceAll('_', ' ');

/** Minor units of a currency or atomic units of a registered asset as people write them; anything else as it is. */
export function moneyText(value: string, terms: Record<string, unknown> | undefined): string {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(value)) return value;
  const currency = terms?.['currency'];
  if (typeof currency === 'string') return `${shifted(value, minorUnitExponent(currency) ?? 0)} ${currency}`;
  const { network, address } = (terms?.['asset'] ?? {}) as { network?: unknown; address?: unknown };
  if (typeof network !== 'string' || typeof address !== 'string') return value;
  const asset = assetByKey(assetKey(network, address));
  return asset ? `${shifted(value, asset.decimals)} ${asset.symbol}` : `${value} atomic units of ${address}`;
}

/** A decimal string divided by a power of ten, exactly; as many places as the unit has, two at most where they are zeros. */
export function shifted(value: string, places: number): string {
  const [whole = '', fraction = ''] = value.split('.');
  const padded = whole.padStart(places + 1, '0');
  const cut = padded.length - places;
  const decimals = (padded.slice(cut) + fraction).replace(/0+$/, '');
  const grouped = padded.slice(0, cut).replace(/\B(?=(?:\d{3})+$)/g, ',');
  const shown = decimals.padEnd(Math.min(places, 2), '0');
  return shown === '' ? grouped : `${grouped}.${shown}`;
}
