import test from 'ava';
import { parsePayeeKey } from '#shared/values/payee_key.ts';

const node = '02eec7245d6b7d2ccb30380bfbe2a3648cd7a942653f5aa340edcea1f283686619';
const lnurl =
  'LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS';

test('an account of a known scheme has one key, however it is written', t => {
  for (const [given, key] of [
    ['account:ach:021000021-123456789', 'account:ach:021000021-123456789'],
    ['ACCOUNT:ACH:021000021 12ab', 'account:ach:021000021-12AB'],
    ['account:uk:20-00-00-55779911', 'account:uk:200000-55779911'],
    ['account:uk:200000 55779911', 'account:uk:200000-55779911'],
    ['account:pix:529.982.247-25', 'account:pix:52998224725'],
    ['account:pix:11.222.333/0001-81', 'account:pix:11222333000181'],
    // The example of the Receita Federal for a CNPJ with letters.
    ['account:pix:12.ABC.345/01DE-35', 'account:pix:12ABC34501DE35'],
    ['account:pix:+55 11 98765-4321', 'account:pix:+5511987654321'],
    ['account:pix:Loja@Example.com', 'account:pix:loja@example.com'],
    ['account:pix:123E4567-E12B-12D1-A456-426655440000', 'account:pix:123e4567-e12b-12d1-a456-426655440000'],
    ['account:upi:Acme.Store@OKHDFCBANK', 'account:upi:acme.store@okhdfcbank'],
    [`account:lightning:${node.toUpperCase()}`, `account:lightning:${node}`],
    ['account:lightning:Acme@Pay.Example.com', 'account:lightning:acme@pay.example.com'],
    [`account:lightning:${lnurl}`, `account:lightning:${lnurl.toLowerCase()}`],
    ['account:iban:de89 3704 0044 0532 0130 00', 'iban:DE89370400440532013000'],
    ['account:Swish: +46 70 123 45 67', 'account:swish:+46 70 123 45 67'],
  ] as const) {
    t.deepEqual(parsePayeeKey(given), { ok: true, value: key }, given);
    t.deepEqual(parsePayeeKey(key), { ok: true, value: key });
  }
});

test('an account that breaks the rules of its scheme is refused, and the answer says what would be right', t => {
  for (const [given, expected] of [
    ['account:ach:021000022-123456789', /ABA check digit/],
    ['account:ach:000000000-1', /ABA check digit/],
    ['account:ach:021000021', /account:ach:<routing>-<account>/],
    ['account:uk:200000-5577991', /six and eight digits/],
    ['account:pix:52998224726', /CPF or CNPJ/],
    ['account:pix:11111111111', /CPF or CNPJ/],
    ['account:pix:11222333000182', /CPF or CNPJ/],
    ['account:upi:acme', /<name>@<bank>/],
    ['account:lightning:lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqf', /an invoice names a payment/],
    ['account:lightning:acme@localhost', /lightning address/],
    ['account:iban:DE88370400440532013000', /check digits/],
    ['account:ach', /account:<scheme>:<id>/],
    ['account::1', /account:<scheme>:<id>/],
    ['account:swish:', /account:<scheme>:<id>/],
  ] as const) {
    const key = parsePayeeKey(given);
    t.false(key.ok, given);
    if (!key.ok) t.regex(key.expected, expected, given);
  }
});
