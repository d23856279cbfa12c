import { createPrivateKey, X509Certificate } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import type { JWK } from 'jose';
import { ap2Mandate } from '#shared/verification/ap2/ap2_mandate.ts';
import type { KeyRow } from '#shared/verification/keys.ts';
import type { VerificationInput } from '#shared/verification/verifier.ts';
import {
  closedPayment,
  delegate,
  digest,
  newParty,
  openPayment,
  paymentChain,
  signMandate,
  signOpen,
} from '#test/helpers/proofs/ap2.ts';
import { certificates, leafKey, pem } from '#test/helpers/proofs/certificates.ts';
import { evidenceOf, flipCharacter, newKey, row, shown, summary, type TestKey } from '#test/helpers/proofs/jwt.ts';
import { OCCURRED_AT, reported, SECONDS } from '#test/helpers/proofs/shown.ts';
import { runs } from '#test/helpers/runs.ts';

const party = await newParty();
const trusted = [row(party.issuer, 'ap2_issuer')];

async function verify(
  value: string | Record<string, unknown> | null,
  keys: readonly KeyRow[] = trusted,
  changes: Partial<VerificationInput> = {},
) {
  const [piece, ...rest] = evidenceOf({ 'ap2.payment_mandate': value });
  if (!piece) throw new Error('no evidence');
  return ap2Mandate.verify(piece, shown([piece, ...rest], keys, changes));
}
const result = async (...given: Parameters<typeof verify>) => summary(await verify(...given));

test('a payment that an agent made as its person allowed is verified, and may be used once', async t => {
  const outcome = await verify(await paymentChain(party));
  t.is(summary(outcome), 'verified');
  t.deepEqual(
    outcome.facts.map(({ scope, code }) => [scope, code]),
    [['ap2_mandate', 'mandate_replayed']],
  );
});

test('what the person allowed is handed on, with what was fixed beforehand', async t => {
  const { open_mandate } = await verify(
    await paymentChain(party, { payment_amount: { amount: 19_900, currency: 'USD' } }),
  );
  t.is(open_mandate?.valid_from, OCCURRED_AT - 60_000);
  t.is(open_mandate?.valid_until, OCCURRED_AT + 3_600_000);
  t.deepEqual(
    open_mandate?.constraints.map(({ type }) => type),
    ['payment.amount_range', 'payment.allowed_payees', 'payment.amount_range'],
  );
});

test('a mandate of which limits were withheld is not handed on as if it had none', async t => {
  const isRange = (part: string) => Buffer.from(part, 'base64url').toString().includes('"payment.amount_range"');
  const signed = await signOpen(party, openPayment(party), { frame: { constraints: { _sd: [0] } } });
  const shownTo = async (parts: string) => verify(await delegate(parts, party.agent, closedPayment()));
  t.is((await shownTo(signed)).open_mandate?.constraints.length, 2);
  const parts = signed.split('~');
  const kept = await shownTo([...parts.slice(0, 1), ...parts.slice(1).filter(part => !isRange(part))].join('~'));
  t.is(summary(kept), 'inconclusive unresolved_constraint');
  t.is(kept.open_mandate, undefined);
});

test('a closed mandate that the person signed needs no delegation', async t => {
  t.is(await result(await signOpen(party, closedPayment())), 'verified');
  t.is(await result(await signOpen(party, openPayment(party))), 'inconclusive closed_mandate_missing');
});

test('an agent may delegate within limits to another, and all limits hold', async t => {
  const second = await newKey('EdDSA');
  const chain = async (max: number) => {
    const constraints = [{ type: 'payment.amount_range', currency: 'USD', max }];
    const narrower = openPayment(party, { constraints, cnf: { jwk: second.jwk } });
    const header = { typ: 'kb+sd-jwt+kb' };
    const middle = await delegate(await signOpen(party, openPayment(party)), party.agent, narrower, { header });
    return delegate(middle, second, closedPayment());
  };
  t.is(await result(await chain(19_900)), 'verified');
  t.is(await result(await chain(19_899)), 'failed invalid_mandate');
});

test('ES384 and EdDSA are as good as ES256', async t => {
  for (const alg of ['ES384', 'EdDSA']) {
    const other = { ...party, issuer: await newKey(alg), agent: await newKey(alg) };
    t.is(await result(await paymentChain(other), [row(other.issuer, 'ap2_issuer')]), 'verified', alg);
  }
});

test('a mandate is verified by a certificate of a trusted root', async t => {
  const { publicKey } = new X509Certificate(Buffer.from(certificates.leaf, 'base64'));
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  const leaf: TestKey = { alg: 'ES256', kid: 'leaf', jwk, publicKey, privateKey: createPrivateKey(leafKey) };
  const x5c = [certificates.leaf, certificates.intermediate];
  const root = row(await newKey(), 'ap2_issuer', { kind: 'x5c_root', certificate: pem('root') });
  const chainOf = async (key: TestKey, list: unknown) => {
    const open = await signMandate(key, openPayment(party), { header: { typ: 'example+sd-jwt', x5c: list } });
    return delegate(open, party.agent, closedPayment());
  };
  t.is(await result(await chainOf(leaf, x5c), [root]), 'verified');
  t.is(await result(await chainOf(leaf, x5c), []), 'inconclusive issuer_key_unknown');
  t.is(await result(await chainOf(leaf, x5c), [row(leaf, 'ap2_issuer')]), 'verified');
  t.is(await result(await chainOf(leaf, [certificates.leaf]), [root]), 'inconclusive issuer_key_unknown');
  t.is(await result(await chainOf(leaf, 'x'), [root]), 'failed invalid_credential');
  t.is(await result(await chainOf(leaf, [certificates.expired]), [row(leaf, 'ap2_issuer')]), 'verified');
  t.is(await result(await chainOf(party.issuer, x5c), [root]), 'failed mandate_invalid_signature');
});

test('an issuer that nobody knows leaves it open, and nothing is used up by a signature nobody could check', async t => {
  const chain = await paymentChain(party);
  const outcome = await verify(chain, []);
  t.is(summary(outcome), 'inconclusive issuer_key_unknown');
  t.is(outcome.open_mandate, undefined);
  t.is(outcome.facts.length, 1);
  t.is((await verify(await signOpen(party, closedPayment()), [])).facts.length, 0);
});

test('a key serves its use, its issuer and its time only', async t => {
  const chain = await delegate(
    await signOpen(party, openPayment(party, { iss: 'https://a.example' })),
    party.agent,
    closedPayment(),
  );
  t.is(await result(chain, [row(party.issuer, 'agent')]), 'inconclusive issuer_key_unknown');
  t.is(await result(chain, [row(party.issuer, 'any')]), 'verified');
  t.is(await result(chain, [row(party.issuer, 'ap2_issuer', { issuer: 'https://a.example' })]), 'verified');
  t.is(
    await result(chain, [row(party.issuer, 'ap2_issuer', { issuer: 'https://b.example' })]),
    'failed invalid_credential',
  );
  t.is(
    await result(chain, [row(party.issuer, 'ap2_issuer', { not_after: OCCURRED_AT })]),
    'inconclusive issuer_key_unknown',
  );
});

test('a key under the kid of another, or of another kind, is not taken for it', async t => {
  const chain = await paymentChain(party);
  const { kid } = party.issuer;
  t.is(await result(chain, [row(await newKey(), 'ap2_issuer', { kid })]), 'failed mandate_invalid_signature');
  t.is(await result(chain, [row(await newKey('EdDSA'), 'ap2_issuer', { kid })]), 'failed mandate_invalid_signature');
});

test('an erased mandate is not known to be good or bad', async t => {
  t.is(await result(null), 'inconclusive evidence_erased');
});

const moved = (seconds: number) => ({ event: reported({ occurred_at: OCCURRED_AT + seconds * 1_000 }) });

test('a mandate is good five minutes before its beginning and after its end, and not a second more', async t => {
  const chain = await paymentChain(party, { exp: SECONDS + 60, nbf: SECONDS - 60, iat: SECONDS - 60 });
  t.is(await result(chain, trusted, moved(360)), 'verified');
  t.is(await result(chain, trusted, moved(361)), 'failed mandate_expired');
  t.is(await result(chain, trusted, moved(-300)), 'verified');
  t.is(await result(chain, trusted, moved(-361)), 'failed invalid_credential');
  t.is(await result(await paymentChain(party, { exp: 'tomorrow' })), 'failed invalid_credential');
});

test('another selection of disclosures is the same closed mandate', async t => {
  const frame = { payment_instrument: { _sd: ['description'] } };
  const chain = await delegate(await signOpen(party, openPayment(party)), party.agent, closedPayment(), { frame });
  const isDescription = (part: string) => /^\["[^"]*","description"/.test(Buffer.from(part, 'base64url').toString());
  const parts = chain.split('~');
  const withheld = parts.filter(part => !isDescription(part)).join('~');
  t.is(chain.split('~').length - 1, withheld.split('~').length);
  const [whole, part] = [await verify(chain), await verify(withheld)];
  t.deepEqual([summary(whole), summary(part)], ['verified', 'verified']);
  t.deepEqual(part.facts, whole.facts);
});

test('a chain with any character changed is never verified, and never an exception', async t => {
  const chain = await paymentChain(party);
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 31 - 1), async seed => {
      t.not((await verify(flipCharacter(chain, seed))).result, 'verified');
    }),
    { numRuns: runs(500) },
  );
});

test('a mandate of AP2 v0.1 is another thing, and not called forged', async t => {
  const earlier = { payment_mandate_contents: { payment_mandate_id: 'pm_1' }, user_authorization: 'eyJ~' };
  t.is(await result(earlier), 'inconclusive version_not_supported');
  t.is(await result(JSON.stringify(earlier)), 'inconclusive version_not_supported');
  t.is(await result({ contents: {} }), 'failed invalid_credential');
});

test('nonsense of any kind fails', async t => {
  const deep = `${Buffer.from('['.repeat(5_000)).toString('base64url')}`;
  const nonsense: (string | Record<string, unknown>)[] = [
    '',
    '~',
    '~~',
    '.',
    '..',
    'a.b.c',
    '~'.repeat(60_000),
    `${deep}.${deep}.${deep}~`,
    {},
    { constructor: 1 },
  ];
  for (const value of nonsense) t.is(await result(value), 'failed invalid_credential');
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async text => {
      t.is((await verify(text)).result, 'failed');
    }),
  );
});

test('a hop that is bound to another chain is refused', async t => {
  const open = await signOpen(party, openPayment(party));
  const other = await signOpen(party, openPayment(party));
  const swapped = [open.slice(0, -1), (await delegate(other, party.agent, closedPayment())).split('~~')[1]].join('~~');
  t.is(await result(swapped), 'failed invalid_credential');
  const by = (claims: object) => delegate(open, party.agent, closedPayment(), { claims: { ...claims } });
  const jwt = open.split('~')[0] ?? '';
  t.is(await result(await by({ sd_hash: undefined, issuer_jwt_hash: digest(jwt) })), 'verified');
  t.is(await result(await by({ issuer_jwt_hash: digest(jwt) })), 'failed invalid_credential');
  t.is(await result(await by({ sd_hash: undefined })), 'failed invalid_credential');
});
