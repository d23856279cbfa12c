import test from 'ava';
import * as fc from 'fast-check';
import { followChain } from '#shared/verification/jose/certificate_chain.ts';
import { certificates, pem } from '#test/helpers/proofs/certificates.ts';
import { runs } from '#test/helpers/runs.ts';

type Name = keyof typeof certificates;
const at = Date.parse('2026-11-20T09:30:00.000Z');
const roots = [{ certificate: pem('root'), issuer: 'https://wallet.example' }];
const follow = (...names: Name[]) =>
  followChain(
    names.map(name => certificates[name]),
    roots,
    at,
  );
const outcome = (answer: ReturnType<typeof followChain>) =>
  !answer.ok ? answer.expected : answer.value.root ? 'believed' : 'unknown root';

test('a chain is believed that ends in a trusted root, whether the root is sent along or not', t => {
  t.is(outcome(follow('leaf', 'intermediate')), 'believed');
  t.is(outcome(follow('leaf', 'intermediate', 'root')), 'believed');
  t.is(outcome(follow('leaf_of_root')), 'believed');
  const answer = follow('leaf', 'intermediate');
  t.is(answer.ok && answer.value.root?.issuer, 'https://wallet.example');
});

test('a sound chain to a root that nobody trusts is not believed, and not called forged', t => {
  const other = [{ certificate: pem('other_root'), issuer: null }];
  t.is(outcome(followChain([certificates.leaf, certificates.intermediate], other, at)), 'unknown root');
  t.is(outcome(followChain([certificates.leaf], roots, at)), 'unknown root');
  t.is(outcome(followChain([certificates.leaf], [{ certificate: 'nonsense', issuer: null }], at)), 'unknown root');
});

test('a certificate that a signer made for itself is believed where it is trusted, and else not called forged', t => {
  t.is(outcome(follow('self_signed')), 'unknown root');
  const itself = [{ certificate: pem('self_signed'), issuer: null }];
  t.is(outcome(followChain([certificates.self_signed], itself, at)), 'believed');
});

const broken: [string, Name[], RegExp][] = [
  [
    'an authority with path length 0 certified another',
    ['leaf_too_deep', 'too_deep', 'intermediate'],
    /certify the one before/,
  ],
  ['a signer certified another signer', ['leaf_of_leaf', 'leaf_of_root'], /certify the one before/],
  ['an authority that may not sign certificates did', ['leaf_no_signing', 'no_signing'], /certify the one before/],
  ['certificates are of other chains', ['leaf', 'other_root'], /certify the one before/],
  ['they are in the wrong order', ['intermediate', 'leaf'], /signer's/],
  ['the signer is an authority that may only certify', ['root'], /signer's/],
  ['the signer may not sign', ['encryption_only'], /signer's/],
  ['the signer expired', ['expired'], /valid then/],
  ['the signer was not valid yet', ['early'], /valid then/],
  ['a certificate is signed with SHA-1', ['weak_hash'], /sound certificates/],
  ['an extension is critical and not understood', ['leaf_constrained', 'constrained'], /sound certificates/],
];
for (const [title, names, expected] of broken)
  test(`a chain is refused when ${title}`, t => t.regex(outcome(follow(...names)), expected));

test('what is no list of certificates is refused', t => {
  const nonsense = [
    undefined,
    null,
    'x',
    {},
    [],
    [1],
    ['AA=='],
    [`${certificates.leaf} `],
    Array.from({ length: 9 }, () => certificates.leaf),
  ];
  for (const x5c of nonsense) t.regex(outcome(followChain(x5c, roots, at)), /^x5c must/);
});

test('what is too long for a certificate is none', t => {
  const long = Buffer.concat([Buffer.from(certificates.leaf, 'base64'), Buffer.alloc(16_384)]).toString('base64');
  t.regex(outcome(followChain([long], roots, at)), /sound certificates/);
});

test('a certificate with any byte changed is never believed', t => {
  const sound = Buffer.from(certificates.leaf_of_root, 'base64');
  fc.assert(
    fc.property(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
      const bytes = Buffer.from(sound);
      bytes[place] = (bytes[place] ?? 0) ^ change;
      t.not(outcome(followChain([bytes.toString('base64')], roots, at)), 'believed');
    }),
    { numRuns: runs(300) },
  );
});
