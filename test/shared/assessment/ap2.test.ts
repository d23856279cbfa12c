import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { MINUTE } from '#shared/values/time.ts';
import {
  closedPayment,
  delegate,
  newParty,
  openPayment,
  type Party,
  paymentChain,
  signOpen,
} from '#test/helpers/proofs/ap2.ts';
import { OCCURRED_AT } from '#test/helpers/proofs/shown.ts';
import { type Flow, flow, noon } from './flow.ts';

const party = await newParty();
const merchant = { key: 'merchant:stripe:merchant_1', name: 'Demo Merchant' };

/** A payment of $199 at a merchant, with mandates where there are any; `at` counts from when they were signed. */
function paid(w: Flow, chain: string | null, { at = 0, payment_id = newId('evt'), more = {} } = {}) {
  const made = w.pay({ at: OCCURRED_AT - noon + at, payment_id, cents: '19900', more });
  return {
    ...made,
    payment: { ...(made['payment'] as object), payee: merchant },
    ...(chain && { evidence: [{ kind: 'ap2.payment_mandate', value: chain }] }),
  };
}

const trust = async (w: Flow, { issuer }: Party) =>
  (await w.admin.post('/v1/trusted-keys', { use: 'ap2_issuer', jwk: issuer.jwk })).status;

const constraints = (extra: object[]) => ({
  constraints: [{ type: 'payment.amount_range', currency: 'USD', min: 0, max: 20_000 }, ...extra],
});

const FAILED = 'detector=verification_failed';
const Stored = z.object({ id: z.string() });
const mandatesOf = async (w: Flow) => (await w.as.get('/v1/mandates')).body.data;

/** Two payments under one open mandate, which differ in their closed one. */
async function chains(open: object, count: number): Promise<string[]> {
  const first = await paymentChain(party, open as Record<string, unknown>, { transaction_id: 'tx-0' });
  const [signed = ''] = first.split('~~');
  const others = Array.from({ length: count - 1 }, (_, index) =>
    delegate(`${signed}~`, party.agent, closedPayment({ transaction_id: `tx-${index + 1}` })),
  );
  return [first, ...(await Promise.all(others))];
}

test('an open mandate that is found in verified evidence is imported once, as it was signed', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  t.is(await trust(w, party), 201);
  const open = constraints([{ type: 'payment.budget', max: 500, currency: 'USD' }]);
  const payments = (await chains(open, 2)).map((chain, index) => paid(w, chain, { at: index * MINUTE }));
  await w.send(payments);
  await w.analyze({ limit: 1 });
  const [mandate, ...others] = await mandatesOf(w);
  t.is(others.length, 0);
  t.like(mandate, { source: 'ap2', agent_id: w.agent_id, owner_id: w.owner_id, state: 'active' });
  t.regex(mandate.external_ref, /^[\w-]{43}$/);
  t.regex(mandate.name, /^AP2 mandate: at most \$200\.00 per payment(, until 20[0-9-]{8})?$/);
  t.deepEqual(mandate.signed_constraints, open.constraints);
  t.deepEqual(mandate.constraints[1], {
    type: 'payment.budget',
    max: '50000',
    currency: 'USD',
    interval: 'per_mandate',
    window: 'calendar',
    tz: 'UTC',
  });
  t.deepEqual(await w.results(payments), ['compliant', 'compliant']);
});

test('an open mandate is called alike in its first alert and later, and one whose limits cannot be read by its issuer', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  await trust(w, party);
  const low = { constraints: [{ type: 'payment.budget', currency: 'USD', max: 100 }] };
  const unreadable = {
    constraints: [{ type: 'payment.budget', currency: 'USD', max: { toString: 1, valueOf: 1 } }],
  };
  const [breach = ''] = await chains(low, 1);
  const [unresolved = ''] = await chains(unreadable, 1);
  await w.send([paid(w, breach), paid(w, unresolved, { at: MINUTE })]);
  await w.analyze();
  const names: string[] = (await mandatesOf(w)).map(({ name }: { name: string }) => name);
  t.is(names.length, 2);
  t.regex(names.find(name => name.includes('$100.00')) ?? '', /^AP2 mandate: at most \$100\.00 in all, until /);
  t.true(names.some(name => name.startsWith('AP2 mandate from ')));
  const [alert] = await w.alerts('detector=mandate_breach');
  t.true(names.some(name => String(alert?.title).includes(name)));
});

test('the budget of an open mandate is enforced over the payments that were made under it, and over no other', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  await trust(w, party);
  const under = (await chains(constraints([{ type: 'payment.budget', max: 500, currency: 'USD' }]), 3)).map(
    (chain, index) => paid(w, chain, { at: index * MINUTE, payment_id: `p${index}` }),
  );
  const plain = paid(w, null, { at: 10 * MINUTE });
  const followUp = paid(w, null, { at: 11 * MINUTE, payment_id: 'p2' });
  await w.send([...under, plain, followUp]);
  await w.analyze({ limit: 2 });
  t.deepEqual(await w.results([...under, plain, followUp]), [
    'compliant',
    'compliant',
    'breach budget_exceeded',
    null,
    'breach budget_exceeded',
  ]);
});

test('mandates of an unknown issuer are open, until its key is trusted', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  const [sound = ''] = await chains(constraints([]), 1);
  const other = await newParty();
  const forged = (await paymentChain({ ...party, issuer: { ...other.issuer, kid: party.issuer.kid } })) || '';
  const payments = [paid(w, sound, { payment_id: 'sound' }), paid(w, forged, { payment_id: 'forged' })];
  await w.send(payments);
  await w.analyze();
  for (const { id } of payments) t.is((await w.detail(id)).verification.result, 'inconclusive');
  t.deepEqual([await mandatesOf(w), await w.alerts(FAILED)], [[], []]);

  await trust(w, party);
  await w.recheck();
  const results = await Promise.all(payments.map(async ({ id }) => (await w.detail(id)).verification.result));
  t.deepEqual(results, ['verified', 'failed']);
  t.is((await mandatesOf(w)).length, 1);
  t.deepEqual(await w.results(payments), ['compliant', null]);
  const alerts = await w.alerts(FAILED);
  t.deepEqual(
    alerts.map(({ detector, event_ids }: Record<string, unknown>) => [detector, event_ids]),
    [['verification_failed', [payments[1]?.id]]],
  );
  t.is((await w.as.get('/v1/events?verification=inconclusive')).body.data.length, 0);
  await w.recheck();
  t.is(await w.count('rechecks'), 0);
});

test('what a payment is verified by does not hide that other evidence of it waits for a key', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  const stranger = await newParty();
  const forged = await paymentChain({ ...party, issuer: { ...stranger.issuer, kid: party.issuer.kid } });
  const sound = await paymentChain(stranger);
  const payment = paid(w, sound);
  const both = { ...payment, evidence: [...(payment.evidence ?? []), { kind: 'ap2.payment_mandate', value: forged }] };
  await trust(w, stranger);
  await w.send([both]);
  await w.analyze();
  t.is((await w.detail(both.id)).verification.result, 'verified');
  await trust(w, party);
  await w.recheck();
  t.is((await w.detail(both.id)).verification.result, 'failed');
});

test('keys and mandates of another organization vouch for nothing', async t => {
  const w = await flow(t, { own_database: true, start: OCCURRED_AT + 30 * MINUTE });
  const rival = await w.rival();
  await trust(w, party);
  const payment = paid(w, (await chains(constraints([]), 1))[0] ?? '');
  for (const client of [w.as, rival.as]) await client.post('/v1/events', payment);
  for (const log of [w.tenant, rival.of]) await w.analyze({ of: log });
  await w.recheck();
  t.is((await w.detail(payment.id)).verification.result, 'verified');
  const { body } = await rival.as.get(`/v1/events/${payment.id}`);
  t.deepEqual([body.verification.result, body.mandate_evaluation], ['inconclusive', null]);
  const owners = await w.db.any(sql.type(Stored)`select org_id as id from mandates`);
  t.deepEqual(
    owners.map(({ id }) => id),
    [w.tenant.org_id],
  );
});

test('what no database can hold, in a mandate that is signed all right, stops nothing', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  await trust(w, party);
  const strange = { type: 'payment.odd\0', note: 'a\0b', 'na\0me': ['\0'] };
  const payment = paid(w, (await chains(constraints([strange]), 1))[0] ?? '');
  const forged = paid(w, `${(payment.evidence?.[0]?.value ?? '').slice(0, -1)}\u0007`);
  const next = paid(w, null);
  await w.send([payment, forged, next]);
  await w.analyze();
  for (const { id } of [payment, forged]) t.truthy((await w.detail(id)).verification);
  const Failures = z.object({ failures: z.unknown() });
  t.deepEqual(await w.db.any(sql.type(Failures)`select failures from analyzed_ranges where failures is not null`), []);
  t.truthy((await w.detail(next.id)).analyzed_at);
});

test('a mandate that is shown again with other payees of its list allows those too', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  await trust(w, party);
  const shops = ['merchant_1', 'merchant_2'].map(id => ({ id, name: id }));
  const open = openPayment(party, { constraints: [{ type: 'payment.allowed_payees', allowed: shops }] });
  const frame = { constraints: { 0: { allowed: { _sd: [0, 1] } } } };
  const whole = await signOpen(party, open, { frame });
  const payments = await Promise.all(
    shops.map(async (shop, index) => {
      const shown = withoutPayees(whole, ({ id }) => id !== shop.id);
      const closed = closedPayment({ payee: shop, transaction_id: shop.id });
      const made = paid(w, await delegate(shown, party.agent, closed), { at: index * MINUTE });
      return { ...made, payment: { ...made.payment, payee: { key: `merchant:stripe:${shop.id}`, name: shop.name } } };
    }),
  );
  await w.send(payments);
  await w.analyze({ limit: 1 });
  t.deepEqual(await w.results(payments), ['compliant', 'compliant']);
  const [mandate, ...others] = await mandatesOf(w);
  t.is(others.length, 0);
  t.deepEqual(mandate.signed_constraints[0].allowed, shops);
  t.is(mandate.version, 2);
  t.regex(mandate.name, /^AP2 mandate: only these payees: merchant_1, merchant_2, until /);
});

/** An SD-JWT without the disclosures of some payees. */
const withoutPayees = (token: string, isHidden: (payee: { id?: string }) => boolean): string =>
  token
    .split('~')
    .filter((part, index) => {
      if (index === 0 || part === '') return true;
      const [, value] = JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown[];
      const payee = value as { id?: string; name?: string; vct?: string };
      return !(payee.id?.startsWith('merchant_') && !payee.vct && isHidden(payee));
    })
    .join('~');

test('whether a payment would break the open mandate in its evidence is said before it is made, and nothing is kept', async t => {
  const w = await flow(t, { start: OCCURRED_AT + 30 * MINUTE });
  await trust(w, party);
  const open = constraints([{ type: 'payment.budget', max: 300, currency: 'USD' }]);
  const [first, second] = (await chains(open, 2)).map((chain, at) => paid(w, chain, { at }));
  const preview = async (...events: unknown[]) =>
    (await w.as.post('/v1/events/validate', { events })).body.results.map(
      (result: { mandate_evaluation: { result: string } | null }) => result.mandate_evaluation?.result,
    );
  // Each by itself: neither has spent what the other would.
  t.deepEqual(await preview(first, second), ['compliant', 'compliant']);
  t.deepEqual(await mandatesOf(w), []);
  await w.send([first ?? {}]);
  await w.analyze();
  t.deepEqual(await preview(first, second), ['compliant', 'breach']);
  t.is((await mandatesOf(w)).length, 1);
});
