import { Constraint } from '#shared/mandates/constraints.ts';
import { moneyText, periodOf } from '#shared/mandates/describe.ts';
import { SECOND, formatDuration } from '#shared/values/time.ts';

type Terms = { type: string } & Record<string, unknown>;

/** A constraint of a mandate as people say it, without a full stop. May hold text from outside, of any length. */
export function constraintInWords(terms: Terms): string {
  const words = Constraint.safeParse(terms).success ? sentences.get(terms.type) : undefined;
  if (words) return words(terms);
  return `${terms.type}: ${JSON.stringify({ ...terms, type: undefined })} (known to its signer only)`;
}

const sentences: ReadonlyMap<string, (terms: Terms) => string> = new Map<string, (terms: Terms) => string>([
  ['payment.amount_range', amountRange],
  ['payment.budget', terms => `at most ${money(terms, 'max')} in ${periodOf(terms)}`],
  ['payment.agent_recurrence', recurrence],
  ['payment.velocity', terms => `at most ${plain(terms, 'max')} payments within ${lengthOf(terms)}`],
  ['payment.allowed_payees', terms => `only these payees: ${payees(terms)}`],
  ['payment.blocked_payees', terms => `not these payees: ${payees(terms)}`],
  ['payment.allowed_payment_instruments', terms => `only these instruments: ${list(terms, 'ids')}`],
  ['payment.allowed_pisps', terms => `only through these payment services: ${list(terms, 'ids')}`],
  ['payment.allowed_categories', terms => `only these merchant categories: ${list(terms, 'mcc')}`],
  ['payment.blocked_categories', terms => `not these merchant categories: ${list(terms, 'mcc')}`],
  ['payment.allowed_rails', terms => `only by these rails: ${list(terms, 'values')}`],
  ['payment.allowed_currencies', terms => `only in these currencies: ${list(terms, 'values')}`],
  ['payment.allowed_networks', terms => `only on these networks: ${list(terms, 'values')}`],
  ['payment.allowed_countries', terms => `only to payees in these countries: ${list(terms, 'values')}`],
  ['payment.blocked_countries', terms => `not to payees in these countries: ${list(terms, 'values')}`],
  ['payment.allowed_assets', terms => `only in these tokens: ${items(terms, 'assets', ['network', 'address'])}`],
  ['payment.allowed_resources', terms => `only for resources under: ${list(terms, 'prefixes')}`],
  ['payment.execution_date', executionDate],
  ['payment.time_of_day', timeOfDay],
  ['payment.approval_required', terms => `above ${money(terms, 'above')} a person has to approve`],
  ['payment.reference', terms => `only with the reference ${plain(terms, 'hash')}`],
]);

function amountRange(terms: Terms): string {
  const most = `at most ${money(terms, 'max')}`;
  return terms['min'] === undefined || terms['min'] === '0'
    ? `${most} a payment`
    : `at least ${money(terms, 'min')} and ${most} a payment`;
}

function recurrence(terms: Terms): string {
  const most = terms['max_occurrences'];
  const often = plain(terms, 'frequency').toLowerCase().replace('_', ' ');
  return `${often}${most === undefined ? '' : `, at most ${String(most)} payments in all`}`;
}

function executionDate(terms: Terms): string {
  const after = terms['not_before'] === undefined ? [] : [`not before ${plain(terms, 'not_before')}`];
  const before = terms['not_after'] === undefined ? [] : [`not after ${plain(terms, 'not_after')}`];
  return [...after, ...before].join(' and ');
}

function timeOfDay(terms: Terms): string {
  return `only from ${plain(terms, 'from')} to ${plain(terms, 'to')} (${plain(terms, 'tz')}) on ${list(terms, 'days')}`;
}

const lengthOf = (terms: Terms) => formatDuration(Number(terms['window_s']) * SECOND);

const plain = (terms: Terms, name: string) => String(terms[name]);

const money = (terms: Terms, name: string) => moneyText(plain(terms, name), terms);

const list = (terms: Terms, name: string) => [terms[name]].flat().join(', ');

const payees = (terms: Terms) => items(terms, 'payees', ['key', 'domain', 'name', 'merchant_id', 'website']);

/** What objects of a list say of themselves under these names. */
const items = (terms: Terms, name: string, members: readonly string[]) =>
  ([terms[name]].flat() as Record<string, unknown>[])
    .map(item => members.flatMap(member => (item[member] === undefined ? [] : [String(item[member])])).join(' '))
    .join(', ');
