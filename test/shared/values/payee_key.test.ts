import test from 'ava';
import * as fc from 'fast-check';
import { chainAccountOf, hasScheme, parsePayeeKey } from '#shared/values/payee_key.ts';

const wallet = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const mainnet = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

const same = [
  [`eip155:8453:${wallet}`, `eip155:8453:${wallet}`],
  [`eip155:8453:${wallet.toLowerCase()}`, `eip155:8453:${wallet}`],
  [`EIP155:8453:0X${wallet.slice(2).toUpperCase()}`, `eip155:8453:${wallet}`],
  [`base:${wallet}`, `eip155:8453:${wallet}`],
  [`base-sepolia:${wallet}`, `eip155:84532:${wallet}`],
  [`${mainnet}:${mint}`, `${mainnet}:${mint}`],
  [`solana:${mint}`, `${mainnet}:${mint}`],
  [`solana-devnet:${mint}`, `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1:${mint}`],
  ['tron:0x2b6653dc:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'tron:0x2b6653dc:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ['domain:api.example.com', 'domain:api.example.com'],
  ['domain:WWW.Example.COM.', 'domain:example.com'],
  ['domain:www.www.example.com', 'domain:example.com'],
  ['domain:www.com', 'domain:www.com'],
  ['domain:bücher.example', 'domain:xn--bcher-kva.example'],
  ['domain:BÜCHER。example', 'domain:xn--bcher-kva.example'],
  ['iban:DE89 3704 0044 0532 0130 00', 'iban:DE89370400440532013000'],
  ['iban:gb82west12345698765432', 'iban:GB82WEST12345698765432'],
  ['merchant:Stripe:acct_1NQ2kL', 'merchant:stripe:acct_1NQ2kL'],
  ['agent:research-7', 'agent:research-7'],
  ['agent:AGT_01kadg3m5qj8v2x4z6b7c9d0ef', 'agent:agt_01KADG3M5QJ8V2X4Z6B7C9D0EF'],
] as const;

test('spellings of one account give one key', t => {
  for (const [given, key] of same) t.deepEqual(parsePayeeKey(given), { ok: true, value: key }, given);
});

test('a key in its final form stays as it is', t => {
  for (const [, key] of same) t.deepEqual(parsePayeeKey(key), { ok: true, value: key });
  fc.assert(
    fc.property(
      fc.constantFrom('domain:', 'merchant:x:', 'agent:', 'iban:', 'base:0x', 'account:x:', 'near:', ' ', ''),
      fc.string({ unit: 'binary' }),
      (scheme, rest) => {
        const once = parsePayeeKey(scheme + rest);
        if (once.ok) t.deepEqual(parsePayeeKey(once.value), once);
      },
    ),
  );
});

test('a key that names no account is refused, and the answer says what would be right', t => {
  for (const [given, expected] of [
    ['', /1 to 256 characters/],
    [' \u3000 ', /1 to 256 characters/],
    ['a\u0000b', /printable/],
    ['a\tb', /printable/],
    ['a\nb', /printable/],
    ['a\u2028b', /printable/],
    ['pay\u202Eee', /printable/],
    ['pay\u200Bee', /printable/],
    ['a\uE000', /printable/],
    ['a\uD800', /printable/],
    ['a\u0378', /printable/],
    ['\u3164', /printable/],
    [`${'x'.repeat(257)}`, /256 characters/],
    [`${'x'.repeat(5_000)}`, /256 characters/],
    [`base:${wallet.slice(0, -1)}`, /40 hexadecimal digits/],
    [`eip155:8453:${wallet.slice(0, -1)}`, /40 hexadecimal digits/],
    [`eip155:8453:${wallet.replace('B', 'b')}`, /EIP-55 checksum/],
    [`eip155:${wallet}`, /three parts/],
    [`eip155:08453:${wallet}`, /decimal chain id/],
    [`solana:mainnet:${mint}`, /genesis hash/],
    [`${mainnet}:${mint.slice(1)}0`, /base58/],
    [`${mainnet}:11111111111111111111111111111111x`, /base58/],
    ['domain:localhost', /host name/],
    ['domain:192.0.2.1', /IP address/],
    ['domain:https://example.com', /without scheme/],
    ['domain:example.com/path', /without scheme/],
    ['domain:ex%41mple.com', /host name/],
    ['domain:-a.example', /host name/],
    ['domain:a..example', /host name/],
    ['iban:DE88370400440532013000', /check digits/],
    ['iban:DE8937040044053201300', /22/],
    ['iban:ZZ89370400440532013000', /country/],
    ['merchant:acct_1', /merchant:<psp>:<id>/],
    ['merchant:stripe:a:b', /merchant:<psp>:<id>/],
    ['merchant:stripe:a b', /without spaces/],
    ['agent:', /agent:<id>/],
    [`agent:${'x'.repeat(251)}`, /256 characters/],
  ] as const) {
    const key = parsePayeeKey(given);
    t.false(key.ok, given);
    if (!key.ok) t.regex(key.expected, expected, given);
  }
});

test('a bare IBAN, host name, and EVM address beside an EVM asset are read as the key they mean', t => {
  for (const [given, key] of [
    ['DE89 3704 0044 0532 0130 00', 'iban:DE89370400440532013000'],
    [' gb82west12345698765432 ', 'iban:GB82WEST12345698765432'],
    ['api.example.com', 'domain:api.example.com'],
    ['WWW.Example.COM', 'domain:example.com'],
    ['bücher.example', 'domain:xn--bcher-kva.example'],
    [wallet.toLowerCase(), `eip155:8453:${wallet}`],
    [` ${wallet} `, `eip155:8453:${wallet}`],
  ] as const)
    t.deepEqual(parsePayeeKey(given, 'eip155:8453'), { ok: true, value: key }, given);
});

test('any other printable text is a key as it is: normalized, trimmed, and compared exactly', t => {
  for (const [given, key = given] of [
    ['Hotel Seeblick'],
    ['  Hotel Seeblick\n', 'Hotel Seeblick'],
    ['Cafe\u0301', 'Café'],
    ['paypal:me'],
    ['constructor:x'],
    ['__proto__'],
    ['https://example.com/pay'],
    ['example.com:8080'],
    ['192.0.2.1'],
    ['DE88370400440532013000'],
    ['v1.2'],
    ['story: the shop'],
    ['near:by'],
    ['tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['株式会社 東京 ☕️'],
    ['acme:supplies:7'],
    [wallet],
    ['😀'.repeat(256)],
  ] as const) {
    t.deepEqual(parsePayeeKey(given), { ok: true, value: key }, given);
    t.false(hasScheme(key), given);
    t.is(chainAccountOf(key), null);
  }
  // Whose checksum is wrong is no address that one could rely on.
  const mistyped = wallet.replace('B', 'b');
  t.deepEqual(parsePayeeKey(mistyped, 'eip155:8453'), { ok: true, value: mistyped });
});

test('a canonical key says by its scheme what it names', t => {
  for (const [, key] of same) t.true(hasScheme(key), key);
  t.deepEqual(chainAccountOf(`eip155:8453:${wallet}`), { network: 'eip155:8453', address: wallet });
  for (const key of ['domain:example.com', 'merchant:stripe:acct_1', 'account:ach:021000021-1', 'agent:a:b'])
    t.is(chainAccountOf(key), null, key);
});
