import { createHmac } from 'node:crypto';
import test from 'ava';
import { ap2Mandate } from '#shared/verification/ap2/ap2_mandate.ts';
import { closedPayment, delegate, newParty, openPayment, paymentChain, signOpen } from '#test/helpers/proofs/ap2.ts';
import { base64url, evidenceOf, newKey, row, shown, signRaw, summary } from '#test/helpers/proofs/jwt.ts';
import { SECONDS } from '#test/helpers/proofs/shown.ts';

const party = await newParty();

async function result(value: string): Promise<string> {
  const [piece] = evidenceOf({ 'ap2.payment_mandate': value });
  return piece ? summary(await ap2Mandate.verify(piece, shown([piece], [row(party.issuer, 'ap2_issuer')]))) : '';
}

/** A chain of which the first JWT is replaced by one with this header, made by `sign`. */
async function withHeader(header: object, sign: (signed: string) => string): Promise<string> {
  const claims = { delegate_payload: [openPayment(party)] };
  const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  return delegate(`${signed}.${sign(signed)}~`, party.agent, closedPayment());
}

test('a mandate with an algorithm that is not accepted is forged, whatever it is signed with', async t => {
  const { kid, jwk } = party.issuer;
  const secret = JSON.stringify(jwk);
  const hmac = (signed: string) => createHmac('sha256', secret).update(signed).digest('base64url');
  const rsa = await newKey('RS256');
  const rsaSigned = (signed: string) => signRaw(rsa, '', '').split('.')[2] ?? signed;
  t.is(await result(await withHeader({ alg: 'none', kid }, () => '')), 'failed mandate_invalid_signature');
  t.is(await result(await withHeader({ alg: 'HS256', kid }, hmac)), 'failed mandate_invalid_signature');
  t.is(await result(await withHeader({ alg: 'RS256', kid }, rsaSigned)), 'failed mandate_invalid_signature');
  t.is(await result(await withHeader({ alg: 'ES384', kid }, hmac)), 'failed mandate_invalid_signature');
  t.is(await result(await withHeader({ kid }, hmac)), 'failed mandate_invalid_signature');
  t.is(await result(await withHeader({ alg: ['ES256'], kid }, hmac)), 'failed mandate_invalid_signature');
});

test('a key that comes in the header is not believed', async t => {
  const thief = await newKey();
  const forged = await delegate(
    await signOpen({ ...party, issuer: { ...thief, kid: party.issuer.kid } }, openPayment(party), {
      header: { jwk: thief.jwk },
    }),
    party.agent,
    closedPayment(),
  );
  t.is(await result(forged), 'failed mandate_invalid_signature');
});

test('header and claims in which a name occurs twice are refused', async t => {
  const claims = JSON.stringify({ delegate_payload: [openPayment(party)] });
  const { kid } = party.issuer;
  const twice = (header: string, text: string) =>
    delegate(`${signRaw(party.issuer, header, text)}~`, party.agent, closedPayment());
  const header = `{"alg":"ES256","kid":"${kid}"}`;
  t.is(await result(await twice(header, claims)), 'verified');
  t.is(await result(await twice(`{"alg":"none","alg":"ES256","kid":"${kid}"}`, claims)), 'failed invalid_credential');
  t.is(await result(await twice(header, claims.replace('{', '{"iss":"a","iss":"b",'))), 'failed invalid_credential');
  t.is(await result(await twice(`{"alg":"ES256","kid":"${kid}","crit":["exp"]}`, claims)), 'failed invalid_credential');
});

const hops: [string, object, object, string][] = [
  ['is signed by another key than the person named', { key: 'other' }, {}, 'failed mandate_invalid_signature'],
  ['has the type of a hop in between', { header: { typ: 'kb+sd-jwt+kb' } }, {}, 'failed invalid_credential'],
  ['has no type', { header: { typ: 'JWT' } }, {}, 'failed invalid_credential'],
  ['names a further key', {}, { cnf: { jwk: party.agent.jwk } }, 'failed invalid_credential'],
  ['does not say when it was issued', { claims: { iat: undefined } }, {}, 'failed invalid_credential'],
  ['was issued six minutes later', { claims: { iat: SECONDS + 360 } }, {}, 'failed invalid_credential'],
  ['has another version', {}, { vct: 'mandate.payment.2' }, 'failed invalid_credential'],
  ['has no version', {}, { vct: 'mandate.payment' }, 'failed invalid_credential'],
  ['is a checkout mandate', {}, { vct: 'mandate.checkout.1' }, 'failed invalid_credential'],
  ['is open', {}, { vct: 'mandate.payment.open.1' }, 'failed invalid_credential'],
];
for (const [title, { key, ...options }, changes, expected] of hops as [string, { key?: string }, object, string][])
  test(`a closed mandate is refused that ${title}`, async t => {
    const signer = key ? await newKey() : party.agent;
    const open = await signOpen(party, openPayment(party));
    t.is(await result(await delegate(open, signer, closedPayment({ ...changes }), options)), expected);
  });

test('an open mandate is refused that is of another version, and one that names no key', async t => {
  for (const vct of ['mandate.payment.open', 'mandate.payment.open.2', 'mandate.payment.1', undefined, 1])
    t.is(await result(await paymentChain(party, { vct })), 'failed invalid_credential');
  t.is(await result(await paymentChain(party, { cnf: undefined })), 'failed invalid_credential');
  const withSecret = { jwk: party.agent.privateKey.export({ format: 'jwk' }) };
  t.is(await result(await paymentChain(party, { cnf: withSecret })), 'failed mandate_invalid_signature');
});

test('a credential of the person that is no mandate leaves it open', async t => {
  t.is(await result(await paymentChain(party, { vct: 'com.example.card' })), 'inconclusive credential_type_unknown');
});

test('a delegation without its beginning is refused', async t => {
  const chain = await paymentChain(party);
  t.is(await result(chain.split('~~')[1] ?? ''), 'failed invalid_credential');
});
