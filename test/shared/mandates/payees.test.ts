import test from 'ava';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { verdict, WALLET } from './held.ts';

type Payee = { key: string; name?: string; resource?: string };
type Entry = Record<string, string>;

const paying = ({ key, name, resource }: Payee): Partial<ReportedEvent> => ({
  payee: { key, type: null, name: name ?? null, country: null },
  resource_url: resource ?? null,
});
const shop = { key: 'domain:shop.example', name: 'The Shop' };
const wallet = { key: WALLET, name: 'Weather' };
const [yes, no, unknown] = ['yes', 'no', 'unknown'];

const matches: [payee: Payee, entry: Entry, match: string][] = [
  [shop, { key: 'domain:shop.example' }, yes],
  [shop, { key: 'domain:WWW.Shop.example' }, yes],
  [{ key: 'domain:a.shop.example' }, { key: 'domain:shop.example' }, no],
  [wallet, { key: WALLET.toLowerCase() }, yes],
  [{ key: WALLET.toLowerCase() }, { key: WALLET }, yes],
  [wallet, { key: WALLET.replace('8453', '84532') }, no],
  [{ key: 'merchant:stripe:acct_A' }, { key: 'merchant:stripe:acct_a' }, no],
  [{ key: 'Hotel Seeblick' }, { key: '  Hotel Seeblick ' }, yes],
  [{ key: 'Hotel Seeblick' }, { key: 'hotel seeblick' }, no],
  [shop, { key: 'Shop.Example' }, yes],
  [wallet, { key: WALLET.slice(WALLET.lastIndexOf(':') + 1).toLowerCase() }, yes],
  [wallet, { key: `0x${'a'.repeat(40)}` }, no],
  [{ key: `merchant:evil:0x${'a'.repeat(40)}` }, { key: `0x${'a'.repeat(40)}` }, no],
  [{ key: `supplier:0x${'a'.repeat(40)}` }, { key: `0x${'a'.repeat(40)}` }, no],
  [{ key: 'Hotel Seeblick', resource: 'https://shop.example/' }, { domain: 'shop.example' }, unknown],
  [{ key: 'account:ach:021000021-1', resource: 'https://shop.example/' }, { domain: 'shop.example' }, unknown],
  [shop, { domain: 'shop.example' }, yes],
  [{ key: 'domain:a.b.shop.example' }, { domain: 'shop.example' }, yes],
  [{ key: 'domain:myshop.example' }, { domain: 'shop.example' }, no],
  [{ key: 'domain:shop.example.evil.test' }, { domain: 'shop.example' }, no],
  [{ ...shop, resource: 'https://other.example/' }, { domain: 'other.example' }, no],
  [wallet, { domain: 'shop.example' }, unknown],
  [{ ...wallet, resource: 'https://API.shop.example/v1' }, { domain: 'shop.example' }, yes],
  [{ ...wallet, resource: 'https://shop.example:8443/v1' }, { domain: 'shop.example' }, yes],
  [{ ...wallet, resource: 'https://evil.test/?shop.example' }, { domain: 'shop.example' }, no],
  [{ ...wallet, resource: 'https://192.0.2.1/' }, { domain: 'shop.example' }, unknown],
  [{ ...wallet, resource: 'mcp://shop.example/tool' }, { domain: 'shop.example' }, unknown],
  [{ ...wallet, resource: 'no url' }, { domain: 'shop.example' }, unknown],
  [{ key: 'merchant:stripe:acct_1', resource: 'https://shop.example/' }, { domain: 'shop.example' }, unknown],
  [{ key: 'iban:DE89370400440532013000' }, { domain: 'shop.example' }, unknown],
  [shop, { name: 'THE  SHÓP' }, yes],
  [shop, { name: 'The Shop Ltd' }, no],
  [{ key: 'domain:shop.example' }, { name: 'The Shop' }, unknown],
  [shop, { name: 'The Shop', website: 'https://www.shop.example/about' }, yes],
  [shop, { name: 'The Shop', website: 'https://shop.test/' }, no],
  [{ key: 'domain:shop.example' }, { name: 'The Shop', website: 'https://shop.example/' }, yes],
  [{ key: 'domain:shop.example' }, { name: 'The Shop', website: 'https://shop.test/' }, no],
  [{ ...shop, name: 'Another' }, { name: 'The Shop', website: 'https://shop.example/' }, no],
  [wallet, { name: 'Weather', website: 'https://weather.example/' }, unknown],
  [{ ...wallet, resource: 'https://weather.example/x' }, { name: 'Weather', website: 'https://weather.example/' }, yes],
  [shop, { name: 'The Shop', website: 'http://192.0.2.1/' }, unknown],
  [{ ...shop, name: '\u200d' }, { name: '\u0301' }, no],
  [{ key: 'merchant:stripe:m1', name: 'Renamed' }, { merchant_id: 'm1', name: 'The Shop' }, yes],
  [{ key: 'merchant:stripe:m2', name: 'The Shop' }, { merchant_id: 'm1', name: 'The Shop' }, no],
  [{ ...shop, name: 'Renamed' }, { merchant_id: 'm1', name: 'The Shop', website: 'https://shop.example/' }, yes],
  [{ key: 'domain:thief.example' }, { merchant_id: 'm1', website: 'https://shop.example/' }, no],
  [shop, { merchant_id: 'm1', name: 'The Shop' }, yes],
  [wallet, { merchant_id: 'm1', name: 'Other', website: 'https://shop.example/' }, no],
  [{ key: WALLET }, { merchant_id: 'm1', name: 'Other' }, unknown],
  [shop, { merchant_id: 'm1' }, unknown],
];

for (const [payee, entry, match] of matches)
  test(`a payee ${JSON.stringify(payee)} held against ${JSON.stringify(entry)}: ${match}`, t => {
    const allowed = { yes: 'compliant', no: 'breach payee_not_allowed' }[match] ?? 'unresolved payee_unknown';
    const blocked = { yes: 'breach payee_blocked', no: 'compliant' }[match] ?? 'unresolved payee_unknown';
    t.is(verdict('allowed_payees', { payees: [entry] }, paying(payee)), allowed);
    t.is(verdict('blocked_payees', { payees: [entry] }, paying(payee)), blocked);
  });

test('one entry that matches decides, and only one that could still match leaves it open', t => {
  const allowed = (...payees: Entry[]) => verdict('allowed_payees', { payees }, paying(wallet));
  t.is(allowed({ domain: 'shop.example' }, { key: WALLET }), 'compliant');
  t.is(allowed({ name: 'Other' }, { domain: 'shop.example' }, { key: 'domain:a.example' }), 'unresolved payee_unknown');
  t.is(allowed({ name: 'Other' }, { key: 'domain:a.example' }), 'breach payee_not_allowed');
});
