import test from 'ava';
import { validate } from '#shared/json/issues.ts';
import { Constraint, constraintTypes } from '#shared/mandates/constraints.ts';

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const usd = { currency: 'USD' };
const token = { asset: { network: 'eip155:8453', address: USDC } };

type Parameters = Record<string, unknown>;
const check = (type: string, parameters: Parameters) =>
  validate(Constraint, { type: `payment.${type}`, ...parameters });
const valueOf = (type: string, parameters: Parameters) => {
  const { type: _, ...value } = outputOf(type, parameters) as Parameters;
  return value;
};
function outputOf(type: string, parameters: Parameters): unknown {
  const answer = check(type, parameters);
  if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
  return answer.value;
}

/** What each type takes, and what comes out where that is not the same. */
const sound: [type: string, given: Parameters, out?: Parameters][] = [
  ['amount_range', { min: '0', max: '5000', ...usd }],
  ['amount_range', { max: 5000, ...usd }, { max: '5000', ...usd }],
  ['amount_range', { max: '0', currency: 'JPY' }],
  ['amount_range', { max: String(2n ** 256n - 1n), ...token }],
  ['amount_range', { max: '1', asset: { network: 'base', address: USDC.toLowerCase() } }, { max: '1', ...token }],
  ['budget', { max: '100000', ...usd, interval: 'daily', window: 'rolling', tz: 'Europe/Berlin' }],
  [
    'budget',
    { max: 9, ...usd, interval: 'per_mandate' },
    { max: '9', ...usd, interval: 'per_mandate', window: 'calendar', tz: 'UTC' },
  ],
  ['agent_recurrence', { frequency: 'BIWEEKLY', max_occurrences: 12 }],
  ['agent_recurrence', { frequency: 'ON_DEMAND' }],
  ['velocity', { max: 10, window_s: 3600 }],
  [
    'allowed_payees',
    { payees: [{ key: 'iban:de89 3704 0044 0532 0130 00' }, { domain: 'WWW.Example.com.' }, { name: 'Söhne & Co' }] },
    { payees: [{ key: 'iban:DE89370400440532013000' }, { domain: 'example.com' }, { name: 'Söhne & Co' }] },
  ],
  ['blocked_payees', { payees: [{ name: 'Acme', website: 'https://acme.example/' }] }],
  ['allowed_payment_instruments', { ids: ['tok_1', 'tok_2'] }],
  ['allowed_pisps', { ids: ['pisp'] }],
  ['allowed_categories', { mcc: ['5411', '5400-5499', '7000-7000'] }],
  ['blocked_categories', { mcc: ['7995'] }],
  ['allowed_rails', { values: ['card', 'x402'] }],
  ['allowed_currencies', { values: ['USD', 'KWD'] }],
  ['allowed_networks', { values: ['base', 'eip155:1'] }, { values: ['eip155:8453', 'eip155:1'] }],
  ['allowed_countries', { values: ['DE'] }],
  ['blocked_countries', { values: ['KP', 'IR'] }],
  ['allowed_assets', { assets: [token.asset] }],
  ['execution_date', { not_before: '2026-12-01T00:00:00+01:00' }, { not_before: '2026-11-30T23:00:00.000Z' }],
  ['execution_date', { not_before: '2026-12-01T00:00:00.000Z', not_after: '2026-12-01T00:00:00.000Z' }],
  ['time_of_day', { days: ['mon', 'tue'], from: '09:00', to: '18:00', tz: 'Europe/Berlin' }],
  [
    'time_of_day',
    { days: ['sun', 'mon', 'sun'], from: '22:00', to: '06:00' },
    { days: ['mon', 'sun'], from: '22:00', to: '06:00', tz: 'UTC' },
  ],
  [
    'time_of_day',
    { from: '00:00', to: '24:00' },
    { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00', tz: 'UTC' },
  ],
  [
    'allowed_resources',
    { prefixes: ['https://API.example.com', 'http://a.example/v1/x?y=1'] },
    { prefixes: ['https://api.example.com/', 'http://a.example/v1/x?y=1'] },
  ],
  ['approval_required', { above: 10_000, ...usd }, { above: '10000', ...usd }],
  ['reference', { hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' }],
];

test('every type of constraint takes its parameters, and puts them into the form that events use', t => {
  for (const [type, given, out = given] of sound) t.deepEqual(valueOf(type, given), out, type);
  const covered = new Set(sound.map(([type]) => `payment.${type}`));
  t.deepEqual(
    constraintTypes.filter(type => !covered.has(type)),
    [],
  );
});

test('what comes out goes in again unchanged', t => {
  for (const [type, given] of sound) {
    const value = outputOf(type, given);
    t.deepEqual(validate(Constraint, value), { ok: true, value: value as Constraint }, type);
  }
});

test('a parameter that no type has is refused, and so is one of another type', t => {
  for (const [type, given] of sound) {
    for (const more of [{ maximum: 1 }, { type: 'payment.unknown' }])
      t.false(check(type, { ...given, ...more }).ok, type);
  }
});

const wrong: [type: string, given: Parameters, path: string][] = [
  ['amount_range', { max: '5000' }, '/currency'],
  ['amount_range', { max: '5000', ...usd, ...token }, '/currency'],
  ['amount_range', { min: '10', ...usd }, '/max'],
  ['amount_range', { min: '10', max: '9', ...usd }, '/max'],
  ['amount_range', { max: '50.00', ...usd }, '/max'],
  ['amount_range', { max: 50.5, ...usd }, '/max'],
  ['amount_range', { max: '-1', ...usd }, '/max'],
  ['amount_range', { max: -1, ...usd }, '/max'],
  ['amount_range', { max: '007', ...usd }, '/max'],
  ['amount_range', { max: String(2n ** 256n), ...usd }, '/max'],
  ['amount_range', { max: '9'.repeat(100_000), ...usd }, '/max'],
  ['amount_range', { max: 'x'.repeat(100), ...usd }, '/max'],
  ['amount_range', { min: '', max: 'all', ...usd }, '/max'],
  ['amount_range', { max: '1', currency: 'XXX' }, '/currency'],
  ['amount_range', { max: '1', currency: 'usd' }, '/currency'],
  ['amount_range', { max: '1', asset: { network: 'eip155:8453', address: `${USDC.slice(0, -1)}4` } }, '/asset/address'],
  ['amount_range', { max: '1', asset: { network: 'mars', address: USDC } }, '/asset/network'],
  ['budget', { max: '1', ...usd }, '/interval'],
  ['budget', { max: '1', ...usd, interval: 'fortnightly' }, '/interval'],
  ['budget', { max: '1', ...usd, interval: 'daily', tz: 'Mars/Olympus' }, '/tz'],
  ['budget', { max: '1', ...usd, interval: 'daily', tz: '+01:00' }, '/tz'],
  ['budget', { max: '1', ...usd, interval: 'daily', window: 'sliding' }, '/window'],
  ['agent_recurrence', { frequency: 'monthly' }, '/frequency'],
  ['agent_recurrence', { frequency: 'MONTHLY', max_occurrences: 0 }, '/max_occurrences'],
  ['velocity', { max: 1.5, window_s: 60 }, '/max'],
  ['velocity', { max: 1, window_s: 0 }, '/window_s'],
  ['allowed_payees', { payees: [] }, '/payees'],
  ['allowed_payees', { payees: [{}] }, '/payees/0'],
  ['allowed_payees', { payees: [{ key: 'iban:DE00' }] }, '/payees/0/key'],
  ['allowed_payees', { payees: [{ domain: 'https://example.com' }] }, '/payees/0/domain'],
  ['allowed_payees', { payees: [{ domain: 'a.example', name: 'a' }] }, '/payees/0'],
  ['allowed_payees', { payees: [{ domain: 'a.example', website: 'https://a.example' }] }, '/payees/0/website'],
  ['allowed_payees', { payees: [{ name: 'a', website: 'javascript:alert(1)' }] }, '/payees/0/website'],
  ['allowed_payees', { payees: Array.from({ length: 1_001 }, () => ({ name: 'a' })) }, '/payees'],
  ['allowed_pisps', { ids: ['a\0b'] }, '/ids/0'],
  ['allowed_categories', { mcc: ['541'] }, '/mcc/0'],
  ['allowed_categories', { mcc: ['5499-5400'] }, '/mcc/0'],
  ['allowed_rails', { values: ['cash'] }, '/values/0'],
  ['allowed_currencies', { values: ['EURO'] }, '/values/0'],
  ['allowed_networks', { values: ['eip155:x'] }, '/values/0'],
  ['allowed_countries', { values: ['XX'] }, '/values/0'],
  ['blocked_countries', { values: ['de'] }, '/values/0'],
  ['execution_date', {}, ''],
  ['execution_date', { not_before: '2026-12-01' }, '/not_before'],
  ['execution_date', { not_after: '9999-12-31T23:59:59-10:00' }, '/not_after'],
  ['execution_date', { not_before: '2026-12-02T00:00:00Z', not_after: '2026-12-01T00:00:00Z' }, '/not_after'],
  ['time_of_day', { from: '9:00', to: '18:00' }, '/from'],
  ['time_of_day', { from: '24:00', to: '06:00' }, '/from'],
  ['time_of_day', { from: '09:00', to: '24:01' }, '/to'],
  ['time_of_day', { from: '09:00', to: '09:00' }, '/to'],
  ['time_of_day', { days: [], from: '09:00', to: '10:00' }, '/days'],
  ['time_of_day', { days: ['Monday'], from: '09:00', to: '10:00' }, '/days/0'],
  ['allowed_resources', { prefixes: ['api.example.com/'] }, '/prefixes/0'],
  ['approval_required', { max: '1', ...usd }, '/above'],
  ['reference', { hash: 'a b' }, '/hash'],
];

test('a parameter that is wrong is refused where it is', t => {
  for (const [type, given, path] of wrong) {
    const answer = check(type, given);
    t.false(answer.ok, `${type} ${JSON.stringify(given).slice(0, 200)}`);
    t.true(
      !answer.ok && answer.issues.some(issue => issue.path === path),
      `${type} ${path}: ${JSON.stringify(answer)}`,
    );
  }
});

test('a type of another vocabulary is refused with the list of those that are known', t => {
  for (const type of ['payment.amount', 'checkout.line_items', '', 7, undefined]) {
    const answer = validate(Constraint, { type, max: '1' });
    t.false(answer.ok);
    const issue = answer.ok ? undefined : answer.issues[0];
    t.is(issue?.path, '/type');
    for (const known of constraintTypes) t.true(issue?.message.includes(known), String(type));
  }
  t.false(validate(Constraint, 'payment.budget').ok);
  t.false(validate(Constraint, null).ok);
});
