import test from 'ava';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { DAI, event, EURC, inCurrency, judge, usd, USDC, usdc, verdict, WALLET } from './held.ts';

const from = (country: string | null): Partial<ReportedEvent> => ({ payee: { ...event.payee, country } });
const to = (key: string): Partial<ReportedEvent> => ({ payee: { ...event.payee, key } });
const on = (category: string | null): Partial<ReportedEvent> => ({ category });
const at = (resource_url: string | null): Partial<ReportedEvent> => ({ resource_url });
const by = (id: string | null): Partial<ReportedEvent> => ({ instrument: { type: null, id, last4: null } });
const mcc = { mcc: ['5411', '5500-5599'] };
const api = { prefixes: ['https://api.example.com/v1/'] };
const base = { values: ['base'] };

const cases: [type: string, parameters: Record<string, unknown>, change: Partial<ReportedEvent>, expected: string][] = [
  ['allowed_rails', { values: ['card', 'sepa'] }, {}, 'compliant'],
  ['allowed_rails', { values: ['x402'] }, {}, 'breach rail_not_allowed'],
  ['allowed_currencies', { values: ['EUR', 'USD'] }, {}, 'compliant'],
  ['allowed_currencies', { values: ['USD'] }, inCurrency('EUR', 1n, null), 'breach currency_not_allowed'],
  ['allowed_currencies', { values: ['USD'] }, usdc(1n), 'breach currency_not_allowed'],
  ['allowed_networks', base, usdc(1n), 'compliant'],
  ['allowed_networks', { values: ['eip155:1'] }, usdc(1n), 'breach network_not_allowed'],
  ['allowed_networks', base, {}, 'breach network_not_allowed'],
  ['allowed_networks', base, { ...usd(1n), ...to(WALLET) }, 'compliant'],
  ['allowed_networks', base, to('merchant:stripe:acct_1'), 'breach network_not_allowed'],
  ['allowed_assets', { assets: [DAI, { ...USDC, address: USDC.address.toLowerCase() }] }, usdc(1n), 'compliant'],
  ['allowed_assets', { assets: [DAI, EURC] }, usdc(1n), 'breach asset_not_allowed'],
  ['allowed_assets', { assets: [{ ...USDC, network: 'eip155:1' }] }, usdc(1n), 'breach asset_not_allowed'],
  ['allowed_assets', { assets: [USDC] }, {}, 'breach asset_not_allowed'],
  ['allowed_countries', { values: ['DE', 'FR'] }, from('FR'), 'compliant'],
  ['allowed_countries', { values: ['DE'] }, from('FR'), 'breach country_not_allowed'],
  ['allowed_countries', { values: ['DE'] }, from(null), 'unresolved country_unknown'],
  ['blocked_countries', { values: ['KP'] }, from('FR'), 'compliant'],
  ['blocked_countries', { values: ['KP'] }, from('KP'), 'breach country_blocked'],
  ['blocked_countries', { values: ['KP'] }, from(null), 'unresolved country_unknown'],
  ['allowed_categories', mcc, on('5411'), 'compliant'],
  ['allowed_categories', mcc, on('5500'), 'compliant'],
  ['allowed_categories', mcc, on('5599'), 'compliant'],
  ['allowed_categories', mcc, on('5499'), 'breach category_not_allowed'],
  ['allowed_categories', mcc, on('5600'), 'breach category_not_allowed'],
  ['allowed_categories', mcc, on(null), 'unresolved category_unknown'],
  ['blocked_categories', mcc, on('5412'), 'compliant'],
  ['blocked_categories', mcc, on('5550'), 'breach category_blocked'],
  ['blocked_categories', mcc, on(null), 'unresolved category_unknown'],
  ['allowed_payment_instruments', { ids: ['tok_1'] }, by('tok_1'), 'compliant'],
  ['allowed_payment_instruments', { ids: ['tok_1'] }, by('TOK_1'), 'breach instrument_not_allowed'],
  ['allowed_payment_instruments', { ids: ['tok_1'] }, by(null), 'unresolved instrument_unknown'],
  ['allowed_payment_instruments', { ids: ['tok_1'] }, {}, 'unresolved instrument_unknown'],
  ['allowed_pisps', { ids: ['Stripe'] }, to('merchant:stripe:acct_1'), 'compliant'],
  ['allowed_pisps', { ids: ['adyen'] }, to('merchant:stripe:acct_1'), 'breach pisp_not_allowed'],
  ['allowed_pisps', { ids: ['stripe'] }, to(WALLET), 'unresolved pisp_unknown'],
  ['allowed_resources', api, at('https://API.example.com:443/v1/weather?city=Berlin'), 'compliant'],
  ['allowed_resources', api, at('https://api.example.com/v1/../admin'), 'breach resource_not_allowed'],
  ['allowed_resources', api, at('https://api.example.com/v1/%2e%2E/admin'), 'breach resource_not_allowed'],
  ['allowed_resources', api, at('http://api.example.com/v1/'), 'breach resource_not_allowed'],
  ['allowed_resources', api, at('https://api.example.com@evil.test/v1/'), 'breach resource_not_allowed'],
  [
    'allowed_resources',
    { prefixes: ['https://a.example'] },
    at('https://a.example.evil.test/'),
    'breach resource_not_allowed',
  ],
  ['allowed_resources', api, at('no url'), 'breach resource_not_allowed'],
  ['allowed_resources', api, at(null), 'unresolved resource_unknown'],
];

for (const [type, rows] of Map.groupBy(cases, ([type]) => type))
  test(`a payment is held against a list: ${type}`, t => {
    for (const [index, [, parameters, change, expected]] of rows.entries())
      t.is(verdict(type, parameters, change), expected, `row ${index + 1}: ${JSON.stringify(parameters)}`);
  });

test('a list is shown with what was found, and cut where it gets long', t => {
  t.like(judge('allowed_rails', { values: ['x402', 'sepa'] }), { observed: 'card', limit: 'x402, sepa' });
  t.like(judge('allowed_assets', { assets: [USDC] }), {
    observed: null,
    limit: `eip155:8453/${USDC.address.toLowerCase()}`,
  });
  const ids = Array.from({ length: 1_000 }, (_, number) => `tok_${number}`);
  const limit = judge('allowed_payment_instruments', { ids })?.limit ?? '';
  t.regex(limit, /^tok_0, tok_1, .* and 9\d\d more$/);
  t.true(limit.length < 220);
});
