import test from 'ava';
import { ap2Mandate } from '#shared/verification/ap2/ap2_mandate.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { newParty, openPayment, paymentChain, signOpen, delegate, closedPayment } from '#test/helpers/proofs/ap2.ts';
import { evidenceOf, row, shown, summary } from '#test/helpers/proofs/jwt.ts';
import { reported } from '#test/helpers/proofs/shown.ts';

const party = await newParty();

async function result(chain: string, event: Partial<ReportedEvent> = {}): Promise<string> {
  const [piece] = evidenceOf({ 'ap2.payment_mandate': chain });
  const keys = [row(party.issuer, 'ap2_issuer')];
  return piece ? summary(await ap2Mandate.verify(piece, shown([piece], keys, { event: reported(event) }))) : '';
}
const under = async (constraint: object, closed: object = {}) =>
  result(await paymentChain(party, { constraints: [constraint] }, { ...closed }));

const broken = 'failed invalid_mandate';
const open = 'inconclusive unresolved_constraint';
const range = (changes: object) => ({ type: 'payment.amount_range', currency: 'USD', max: 19_900, ...changes });
const payees = (...allowed: unknown[]) => ({ type: 'payment.allowed_payees', allowed });
const instruments = (...allowed: unknown[]) => ({ type: 'payment.allowed_payment_instruments', allowed });
const pisps = (...allowed: unknown[]) => ({ type: 'payment.allowed_pisps', allowed });
const dates = (not_before?: unknown, not_after?: unknown) => ({
  type: 'payment.execution_date',
  not_before,
  not_after,
});
const pisp = { legal_name: 'Pay Ltd', brand_name: 'Pay', domain_name: 'pay.example' };

const constraints: [string, object, object, string][] = [
  ['the amount is the most that is allowed', range({}), {}, 'verified'],
  ['the amount is a cent above', range({ max: 19_899 }), {}, broken],
  ['the amount is the least that is allowed', range({ min: 19_900 }), {}, 'verified'],
  ['the amount is a cent below', range({ min: 19_901, max: 20_000 }), {}, broken],
  ['the currency is another', range({ currency: 'EUR' }), {}, broken],
  ['the range has no end', range({ max: undefined }), {}, open],
  ['the range is not in whole minor units', range({ max: 199.5 }), {}, open],
  ['the range is a text', range({ max: '19900' }), {}, open],
  ['the payee is allowed by id, whatever its name', payees({ id: 'merchant_1', name: 'Renamed' }), {}, 'verified'],
  ['the payee has the name of one with another id', payees({ id: 'm2', name: 'Demo Merchant' }), {}, broken],
  [
    'the payee is allowed by name and website',
    payees({ name: 'DEMO merchant', website: 'demo-merchant.example' }),
    {},
    'verified',
  ],
  [
    'the payee has the name of one with another website',
    payees({ name: 'Demo Merchant', website: 'https://x.example' }),
    {},
    broken,
  ],
  ['no payee is allowed', payees(), {}, broken],
  ['the list of payees is none', { type: 'payment.allowed_payees', allowed: {} }, {}, open],
  ['the instrument is allowed', instruments({ id: 'card_2' }, { id: 'card_1', type: 'card' }), {}, 'verified'],
  ['the instrument is not allowed', instruments({ id: 'card_2' }), {}, broken],
  ['the payment service is allowed', pisps({ ...pisp, domain_name: 'x.example' }, pisp), { pisp }, 'verified'],
  ['the payment service has another domain', pisps({ ...pisp, domain_name: 'x.example' }), { pisp }, broken],
  ['no payment service is named', pisps(pisp), {}, broken],
  ['it is executed at once, within the dates', dates('2026-11-20', '2026-11-20'), {}, 'verified'],
  ['it is executed at once, a millisecond early', dates('2026-11-20T09:30:00.001Z'), {}, broken],
  ['it is executed at once, a day late', dates(undefined, '2026-11-19'), {}, broken],
  [
    'its date is within, by another offset',
    dates('2026-12-01T00:00:00Z'),
    { execution_date: '2026-12-01T01:00:00+01:00' },
    'verified',
  ],
  [
    'its date is out, though it sorts within as text',
    dates('2026-12-01T00:00:00Z'),
    { execution_date: '2026-12-01T00:30:00+01:00' },
    broken,
  ],
  ['the dates are none', dates('soon'), {}, open],
  ['a budget is left to the mandate', { type: 'payment.budget', max: 1, currency: 'USD' }, {}, 'verified'],
  ['a recurrence is left to the mandate', { type: 'payment.agent_recurrence', frequency: 'MONTHLY' }, {}, 'verified'],
  [
    'the checkout of a reference was not reported',
    { type: 'payment.reference', conditional_transaction_id: 'x' },
    {},
    'verified',
  ],
  ['the constraint is not known', { type: 'payment.weather', rain: false }, {}, open],
  ['the constraint has the name of a member of every object', { type: 'constructor' }, {}, open],
  ['the constraint has no type', { max: 1 }, {}, open],
  ['the list of constraints holds a text', 'payment.amount_range' as unknown as object, {}, open],
];
for (const [title, constraint, closed, expected] of constraints)
  test(`${expected}: ${title}`, async t => t.is(await under(constraint, closed), expected));

test('a broken constraint fails even beside one that is not known', async t => {
  const both = { constraints: [{ type: 'payment.weather' }, range({ max: 1 })] };
  t.is(await result(await paymentChain(party, both)), 'failed unresolved_constraint invalid_mandate');
  t.is(await result(await paymentChain(party, { constraints: undefined })), broken);
});

const fixed: [string, object, string][] = [
  ['the same', { payee: { id: 'merchant_1', name: 'Demo Merchant' } }, 'verified'],
  ['another payee', { payee: { id: 'merchant_2' } }, broken],
  ['another amount', { payment_amount: { amount: 19_901, currency: 'USD' } }, broken],
  ['another instrument', { payment_instrument: { id: 'card_2', type: 'card' } }, broken],
  ['a date, which the closed mandate lacks', { execution_date: '2026-11-20' }, broken],
  ['another checkout', { transaction_id: 'x' }, broken],
];
for (const [title, changes, expected] of fixed)
  test(`${expected}: the person had fixed ${title}`, async t =>
    t.is(await result(await paymentChain(party, { ...changes })), expected));

test('whose website an allowed id has is for the person to say, not for the agent', async t => {
  const merchant = { id: 'merchant_1', name: 'Demo Merchant' };
  const elsewhere = { payee: { ...merchant, name: 'Thief', website: 'https://thief.example' } };
  const paid = async (open: object, key: string, name: string | null = null) =>
    result(await paymentChain(party, { ...open }, { ...elsewhere }), payee(key, name));
  for (const known of [merchant, { ...merchant, website: 'https://demo-merchant.example' }]) {
    const allowed = { constraints: [payees(known)] };
    t.is(await paid(allowed, 'domain:thief.example'), open);
    t.is(await paid(allowed, 'iban:DE89370400440532013000', 'Thief'), open);
    t.is(await paid(allowed, 'merchant:stripe:merchant_1'), 'verified');
  }
  const website = { id: 'merchant_1', name: 'Demo', website: 'thief.example' };
  t.is(await paid({ constraints: [payees(merchant, website)] }, 'domain:thief.example'), 'verified');
  t.is(await paid({ payee: { id: 'merchant_1' }, constraints: [] }, 'domain:thief.example'), open);
});

test('a constraint that is withheld is not overlooked, an entry of a list may be', async t => {
  const withheld = async (frame: object, starts: string) => {
    const signed = await signOpen(party, openPayment(party), { frame: { ...frame } });
    const isHidden = (part: string) =>
      Buffer.from(part, 'base64url').toString().split(',').slice(1).join().startsWith(starts);
    const kept = signed.split('~').filter(part => !isHidden(part));
    t.is(kept.length, signed.split('~').length - 1);
    return result(await delegate(kept.join('~'), party.agent, closedPayment()));
  };
  t.is(await withheld({ constraints: { 1: { allowed: { _sd: [1] } } } }, '{"id":"merchant_2"'), 'verified');
  t.is(await withheld({ constraints: { _sd: [0] } }, '{"type":"payment.amount_range"'), open);
});

const closedMembers = ['transaction_id', 'payee', 'payment_amount', 'payment_instrument'];
for (const member of closedMembers)
  test(`a closed mandate without ${member} is refused`, async t => {
    for (const value of [undefined, null, {}, '', 7, []])
      t.is(await result(await paymentChain(party, {}, { [member]: value })), broken);
  });

const mismatch = 'failed mandate_scope_mismatch';
const usd = (value: bigint) => ({ amount: { value, denomination: 'USD', currency: 'USD', asset: null } });
const usdc = { network: 'eip155:8453', address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 };
const payee = (key: string, name: string | null = null) => ({ payee: { key, type: null, name, country: null } });
const card = (id: string | null) => ({ instrument: { type: 'card', id, last4: '4242' } });
const events: [string, Partial<ReportedEvent>, string][] = [
  ['a cent less was paid', usd(19_899n), mismatch],
  ['a cent more was paid', usd(19_901n), mismatch],
  [
    'another currency was paid',
    { amount: { value: 19_900n, denomination: 'EUR', currency: 'EUR', asset: null } },
    mismatch,
  ],
  [
    'a token was paid',
    { amount: { value: 199_000_000n, denomination: 'x', currency: null, asset: usdc } },
    'inconclusive amount_not_comparable',
  ],
  ['a part came back', { ...usd(100n), status: 'partially_refunded' }, 'verified'],
  ['more came back than was paid', { ...usd(19_901n), status: 'refunded' }, mismatch],
  ['another merchant was paid, of the same name', payee('merchant:stripe:merchant_2', 'Demo Merchant'), mismatch],
  ['the domain was paid', payee('domain:demo-merchant.example'), 'verified'],
  ['another domain was paid', payee('domain:shop.demo-merchant.example', 'Demo Merchant'), mismatch],
  [
    'a wallet of that name was paid',
    payee('eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C', 'demo  MERCHANT'),
    'verified',
  ],
  [
    'a wallet of another name was paid',
    payee('eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C', 'Demo'),
    mismatch,
  ],
  [
    'an account was paid of which no name is known',
    payee('iban:DE89370400440532013000'),
    'inconclusive payee_not_comparable',
  ],
  ['a text of that name was paid', payee('merchant', 'Demo Merchant'), 'verified'],
  ['a text was paid of which no name is known', payee('Demo Merchant'), 'inconclusive payee_not_comparable'],
  ['the card was used', card('card_1'), 'verified'],
  ['another card was used', card('card_2'), mismatch],
  ['a card of no id was used', card(null), 'verified'],
];
for (const [title, event, expected] of events)
  test(`${expected}: ${title}`, async t => t.is(await result(await paymentChain(party), event), expected));
