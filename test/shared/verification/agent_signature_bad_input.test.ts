import test from 'ava';
import { anything, assert, constantFrom, integer, property } from 'fast-check';
import { agentSignature } from '#shared/verification/agent_signature.ts';
import type { Evidence, Outcome } from '#shared/verification/verifier.ts';
import {
  agentKey,
  evidenceOf,
  second,
  shown,
  signedRequest,
  tapLines,
  tapParameters,
} from '#test/helpers/proofs/http.ts';
import { runs } from '#test/helpers/runs.ts';

const key = await agentKey();
const input = shown({ keys: [key.believed] });
const judge = (value: unknown) =>
  agentSignature.verify(evidenceOf('http.message_signature', value as Evidence['value']), input) as Outcome;

const good = signedRequest(key, [
  '"@method": POST',
  '"@target-uri": https://shop.example/checkout?cart=7',
  ...tapLines,
]);
const { signature, 'signature-input': signatureInput } = good.headers;
const withHeaders = (headers: Record<string, unknown>) => ({ ...good, headers: { ...good.headers, ...headers } });

const bad: [string, unknown, string][] = [
  ['no object', 'hello', 'malformed'],
  ['a number', 7, 'malformed'],
  ['a list', [], 'malformed'],
  ['truncated JSON', JSON.stringify(good).slice(0, -20), 'malformed'],
  ['a member given twice', JSON.stringify(good).replace('{', '{"method":"GET",'), 'malformed'],
  ['deep JSON', `{"url":${'['.repeat(40)}${']'.repeat(40)}}`, 'malformed'],
  ['no method', { ...good, method: undefined }, 'malformed'],
  ['no headers', { ...good, headers: null }, 'malformed'],
  ['a line break in a header', withHeaders({ 'x-note': 'a\r\n"@method": GET' }), 'malformed'],
  ['a header of another type', withHeaders({ 'x-note': { a: 1 } }), 'malformed'],
  ['a relative URL', { ...good, url: '/checkout?cart=7' }, 'malformed'],
  ['a user name in the URL', { ...good, url: 'https://shop.example@evil.test/checkout?cart=7' }, 'malformed'],
  ['a URL that is not ASCII', { ...good, url: 'https://shöp.example/checkout?cart=7' }, 'malformed'],
  ['a URL of another scheme', { ...good, url: 'ftp://shop.example/checkout?cart=7' }, 'malformed'],
  ['no Signature', { ...good, headers: { 'signature-input': signatureInput } }, 'header_missing'],
  ['no Signature-Input', { ...good, headers: { signature } }, 'header_missing'],
  ['a label given twice', withHeaders({ 'signature-input': `${signatureInput}, ${signatureInput}` }), 'malformed'],
  ['a signature given twice', withHeaders({ signature: `${signature}, ${signature}` }), 'malformed'],
  ['a signature in two spellings of the header', withHeaders({ Signature: signature }), 'malformed'],
  ['a signature under another label', withHeaders({ signature: signature.replace('sig2', 'sig3') }), 'malformed'],
  ['a signature without label', withHeaders({ signature: signature.slice(5) }), 'malformed'],
  [
    'base64 without padding',
    withHeaders({ signature: signature.replaceAll('=', '').replace('sig2', 'sig2=') }),
    'malformed',
  ],
  ['an empty signature', withHeaders({ signature: 'sig2=::' }), 'malformed'],
  ['a short signature', withHeaders({ signature: 'sig2=:AAAA:' }), 'signature_mismatch'],
  ['a parameter given twice', withHeaders({ 'signature-input': `${signatureInput};created=1` }), 'malformed'],
  [
    'a huge number',
    withHeaders({ 'signature-input': signatureInput.replace(/expires=\d+/, 'expires=9999999999999999') }),
    'malformed',
  ],
  ['a decimal time', withHeaders({ 'signature-input': signatureInput.replace(/(created=\d+)/, '$1.0') }), 'malformed'],
  [
    'a late year',
    withHeaders({ 'signature-input': signatureInput.replace(/expires=\d+/, 'expires=999999999999999') }),
    'malformed',
  ],
  ['a trailing comma', withHeaders({ 'signature-input': `${signatureInput},` }), 'malformed'],
  ['no list of components', withHeaders({ 'signature-input': 'sig2="@authority"' }), 'malformed'],
  [
    'a component in capitals',
    withHeaders({ 'signature-input': signatureInput.replace('@path', '@Path') }),
    'component_unknown',
  ],
  [
    'a component unknown to RFC 9421',
    withHeaders({ 'signature-input': signatureInput.replace('@path', '@port') }),
    'component_unknown',
  ],
  [
    'a component of responses',
    withHeaders({ 'signature-input': signatureInput.replace('@method', '@status') }),
    'component_unknown',
  ],
  [
    'a component of another request',
    withHeaders({ 'signature-input': signatureInput.replace('"@path"', '"@path";req') }),
    'component_unknown',
  ],
  [
    'a component covered twice',
    withHeaders({ 'signature-input': signatureInput.replace('@method', '@path') }),
    'malformed',
  ],
  [
    'a header that was not sent',
    withHeaders({ 'signature-input': signatureInput.replace('@method', 'x-cart') }),
    'component_missing',
  ],
  ['another method', { ...good, method: 'GET' }, 'signature_mismatch'],
  ['another query', { ...good, url: 'https://shop.example/checkout?cart=8' }, 'signature_mismatch'],
  ['a dot segment', { ...good, url: 'https://shop.example/%2e/checkout?cart=7' }, 'signature_mismatch'],
  ['a prototype member', JSON.parse('{"__proto__":{"method":"POST"},"constructor":1}'), 'malformed'],
];

for (const [what, value, code] of bad) {
  test(`${what} fails with ${code}`, t => {
    const { result, checks, facts } = judge(value);
    t.is(result, 'failed');
    t.true(
      checks.some(check => check.result === 'fail' && check.code === code),
      JSON.stringify(checks),
    );
    t.deepEqual(facts, []);
  });
}

test('a key of another use, or one that cannot be imported, verifies nothing', t => {
  const broken = { ...key.believed, jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } };
  const outcome = agentSignature.verify(
    evidenceOf('http.message_signature', good),
    shown({ keys: [broken] }),
  ) as Outcome;
  t.is(outcome.result, 'failed');
  const shared = { ...key.believed, jwk: { kty: 'oct', k: 'c2VjcmV0' } };
  t.is(
    (agentSignature.verify(evidenceOf('http.message_signature', good), shown({ keys: [shared] })) as Outcome).result,
    'failed',
  );
});

test('no changed character of a signed request is verified, and none throws', t => {
  t.is(judge(good).result, 'verified');
  const places = [signature, signatureInput, good.url].map((text, place) => ({ text, place }));
  const characters = constantFrom(...'ABab019-_+/=:;,."\\ ()?%@\t\n\u0000é');
  t.notThrows(() =>
    assert(
      property(constantFrom(...places), integer({ min: 0, max: 1e6 }), characters, ({ text, place }, at, character) => {
        const index = at % text.length;
        const changed = text.slice(0, index) + character + text.slice(index + 1);
        // What is the same in another spelling stays verified: capitals of a host, spaces between parts.
        if (changed.toLowerCase() === text.toLowerCase() || (character === ' ' && text[index] === ' ')) return true;
        const headers = {
          ...good.headers,
          ...(place === 0 && { signature: changed }),
          ...(place === 1 && { 'signature-input': changed }),
        };
        return judge({ ...good, headers, url: place === 2 ? changed : good.url }).result !== 'verified';
      }),
      { numRuns: runs(3_000) },
    ),
  );
});

test('whatever the evidence is, it is judged and not thrown at', t => {
  t.notThrows(() =>
    assert(
      property(anything(), anything(), anything(), (headers, url, body) => {
        const outcome = judge({ method: 'POST', url, headers: { ...good.headers, x: headers }, body });
        return outcome.result !== 'verified' && judge(headers ?? 1).result !== 'verified';
      }),
      { numRuns: runs(500) },
    ),
  );
});

// Were the cost of these to grow with the square of their length, the tests would not end in their time.
test('a very long header costs little', t => {
  const long = `sig2=("@authority" "@path" "x-${'a'.repeat(600_000)}");created=${second}${tapParameters(key)}`;
  for (const value of [
    long,
    `sig2=(${'"a" '.repeat(150_000)})`,
    '"'.repeat(600_000),
    `sig2=("${'\\"'.repeat(300_000)}`,
  ]) {
    t.is(judge(withHeaders({ 'signature-input': value, signature: `sig2=:${'A'.repeat(600_000)}:` })).result, 'failed');
  }
});

test('spaces in a folded header, and many parts of one long field, cost little', t => {
  t.is(judge(withHeaders({ 'x-long': `a\nx${' '.repeat(600_000)}x` })).result, 'failed');
  const parts = Array.from({ length: 90 }, (_, index) => `"x-long";key="k${index}"`).join(' ');
  const headers = {
    'x-long': Array.from({ length: 300_000 }, (_, index) => `k${index}`).join(', '),
    'signature-input': `sig2=("@authority" "@path" ${parts})${tapParameters(key)}`,
  };
  t.is(judge(withHeaders(headers)).result, 'failed');
});
