import type { NewConstraint, Rail } from '#api/client/generated.ts';

/** A field of a constraint: which member it sets, and as what it is asked for. */
export type FieldKind =
  | { name: string; label: string; as: 'money'; optional?: true }
  | { name: string; label: string; as: 'count'; optional?: true }
  | { name: string; label: string; as: 'choice' | 'ticks'; of: readonly (readonly [string, string])[] }
  | { name: string; label: string; as: 'list' | 'lines'; hint: string; upper?: true }
  | { name: string; label: string; as: 'payees' | 'clock' | 'zone' | 'time' | 'text' | 'duration'; hint?: string };

/** `initial`: the members a new one begins with. */
export type ConstraintKind = { type: NewConstraint['type']; name: string; fields: FieldKind[]; initial: object };

const same = (words: readonly string[]) => words.map(word => [word, word] as const);

const money = { currency: 'USD' };
const payees: FieldKind = {
  name: 'payees',
  label: 'Payees',
  as: 'payees',
  hint: 'One on each line: a payee key (iban:DE89…), a domain with its subdomains (example.com), or a name.',
};
const list = (name: string, label: string, hint: string): FieldKind => ({ name, label, as: 'list', hint });
const lines = (name: string, label: string, hint: string): FieldKind => ({ name, label, as: 'lines', hint });
const codes = (name: string, label: string, hint: string): FieldKind => ({
  name,
  label,
  as: 'list',
  hint,
  upper: true,
});
const countries = codes('values', 'Countries', 'Two-letter codes: DE, FR.');
const categories = list('mcc', 'Merchant categories', 'Codes or ranges: 5411, 5400-5499.');
const zone: FieldKind = { name: 'tz', label: 'Time zone', as: 'zone' };

/** All there are: it does not type-check otherwise. */
const rails = Object.keys({
  card: true,
  ach: true,
  sepa: true,
  wire: true,
  rtp: true,
  fps: true,
  pix: true,
  upi: true,
  x402: true,
  stablecoin: true,
  lightning: true,
  wallet: true,
  credits: true,
  other: true,
} satisfies Record<Rail, true>);

/** Every type of constraint, those used most first, with what is asked for. One without fields is written as JSON. */
export const constraintKinds: ConstraintKind[] = [
  {
    type: 'payment.amount_range',
    name: 'Amount of one payment',
    fields: [
      { name: 'min', label: 'At least', as: 'money', optional: true },
      { name: 'max', label: 'At most', as: 'money' },
    ],
    initial: { max: '', ...money },
  },
  {
    type: 'payment.budget',
    name: 'Budget',
    fields: [
      { name: 'max', label: 'At most', as: 'money' },
      {
        name: 'interval',
        label: 'For each',
        as: 'choice',
        of: [
          ['hourly', 'hour'],
          ['daily', 'day'],
          ['weekly', 'week'],
          ['monthly', 'month'],
          ['yearly', 'year'],
          ['per_mandate', 'whole mandate'],
        ],
      },
      {
        name: 'window',
        label: 'Counted',
        as: 'choice',
        of: [
          ['calendar', 'by the calendar'],
          ['rolling', 'back from each payment'],
        ],
      },
      zone,
    ],
    initial: { max: '', ...money, interval: 'monthly', window: 'calendar', tz: 'UTC' },
  },
  {
    type: 'payment.velocity',
    name: 'Number of payments',
    fields: [
      { name: 'max', label: 'At most', as: 'count' },
      { name: 'window_s', label: 'Within any', as: 'duration' },
    ],
    initial: { max: 10, window_s: 3_600 },
  },
  {
    type: 'payment.agent_recurrence',
    name: 'Recurrence',
    fields: [
      {
        name: 'frequency',
        label: 'One payment each',
        as: 'choice',
        of: [
          ['DAILY', 'day'],
          ['WEEKLY', 'week'],
          ['BIWEEKLY', 'two weeks'],
          ['MONTHLY', 'month'],
          ['QUARTERLY', 'quarter'],
          ['ANNUALLY', 'year'],
          ['ON_DEMAND', 'any time'],
        ],
      },
      { name: 'max_occurrences', label: 'At most in all', as: 'count', optional: true },
    ],
    initial: { frequency: 'MONTHLY' },
  },
  {
    type: 'payment.approval_required',
    name: 'Approval by a person',
    fields: [{ name: 'above', label: 'Above', as: 'money' }],
    initial: { above: '', ...money },
  },
  { type: 'payment.allowed_payees', name: 'Allowed payees', fields: [payees], initial: { payees: [] } },
  { type: 'payment.blocked_payees', name: 'Blocked payees', fields: [payees], initial: { payees: [] } },
  {
    type: 'payment.allowed_rails',
    name: 'Allowed rails',
    fields: [{ name: 'values', label: 'Rails', as: 'ticks', of: same(rails) }],
    initial: { values: [] },
  },
  {
    type: 'payment.allowed_currencies',
    name: 'Allowed currencies',
    fields: [codes('values', 'Currencies', 'Three-letter codes: USD, EUR.')],
    initial: { values: [] },
  },
  { type: 'payment.allowed_countries', name: 'Allowed countries', fields: [countries], initial: { values: [] } },
  { type: 'payment.blocked_countries', name: 'Blocked countries', fields: [countries], initial: { values: [] } },
  { type: 'payment.allowed_categories', name: 'Allowed categories', fields: [categories], initial: { mcc: [] } },
  { type: 'payment.blocked_categories', name: 'Blocked categories', fields: [categories], initial: { mcc: [] } },
  {
    type: 'payment.time_of_day',
    name: 'Time of day',
    fields: [
      { name: 'days', label: 'Days', as: 'ticks', of: same(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']) },
      { name: 'from', label: 'From', as: 'clock', hint: 'such as 09:00' },
      { name: 'to', label: 'Until', as: 'clock', hint: 'such as 18:00, or 24:00' },
      zone,
    ],
    initial: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00', tz: 'UTC' },
  },
  {
    type: 'payment.execution_date',
    name: 'Execution date',
    fields: [
      { name: 'not_before', label: 'Not before', as: 'time' },
      { name: 'not_after', label: 'Not after', as: 'time' },
    ],
    initial: {},
  },
  {
    type: 'payment.allowed_resources',
    name: 'Allowed resources',
    fields: [lines('prefixes', 'Beginnings of web addresses', 'One on each line, such as https://api.example.com/')],
    initial: { prefixes: [] },
  },
  {
    type: 'payment.allowed_networks',
    name: 'Allowed networks',
    fields: [list('values', 'Networks', 'CAIP-2 ids: eip155:8453.')],
    initial: { values: [] },
  },
  {
    type: 'payment.allowed_assets',
    name: 'Allowed tokens',
    fields: [],
    initial: { assets: [{ network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }] },
  },
  {
    type: 'payment.allowed_payment_instruments',
    name: 'Allowed payment instruments',
    fields: [lines('ids', 'Instruments', 'Their ids, one on each line.')],
    initial: { ids: [] },
  },
  {
    type: 'payment.allowed_pisps',
    name: 'Allowed payment services',
    fields: [lines('ids', 'Services', 'Their ids, one on each line.')],
    initial: { ids: [] },
  },
  {
    type: 'payment.reference',
    name: 'Checkout reference',
    fields: [{ name: 'hash', label: 'Hash', as: 'text' }],
    initial: { hash: '' },
  },
];

export const kindOf = (type: string): ConstraintKind | undefined => constraintKinds.find(kind => kind.type === type);
