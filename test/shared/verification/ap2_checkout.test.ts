import test from 'ava';
import { ap2Mandate } from '#shared/verification/ap2/ap2_mandate.ts';
import { judgeLineItems } from '#shared/verification/ap2/line_items.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import {
  checkoutChain,
  checkoutJwt,
  closedCheckout,
  delegate,
  digest,
  newParty,
  openCheckout,
  paymentChain,
  signOpen,
} from '#test/helpers/proofs/ap2.ts';
import { evidenceOf, row, shown, summary } from '#test/helpers/proofs/jwt.ts';
import { reported } from '#test/helpers/proofs/shown.ts';

const party = await newParty();
const keys = [row(party.issuer, 'ap2_issuer')];

/** What comes of the first piece, shown with the others. */
async function result(pieces: Record<string, string | null>, event: Partial<ReportedEvent> = {}): Promise<string> {
  const evidence = evidenceOf(pieces);
  const [piece] = evidence;
  return piece ? summary(await ap2Mandate.verify(piece, shown(evidence, keys, { event: reported(event) }))) : '';
}
const alone = async (chain: string, event: Partial<ReportedEvent> = {}) =>
  result({ 'ap2.checkout_mandate': chain }, event);

test('a checkout that an agent completed as its person allowed is verified', async t => {
  t.is(await alone(await checkoutChain(party, await checkoutJwt(party))), 'verified');
});

test('the checkout has to be the one that was hashed', async t => {
  const checkout = await checkoutJwt(party);
  const other = await checkoutJwt(party, { id: 'chk_2' });
  const scope = 'failed mandate_scope_mismatch';
  t.is(await alone(await checkoutChain(party, checkout, {}, { checkout_hash: digest(other) })), scope);
  t.is(await alone(await checkoutChain(party, checkout, {}, { checkout_hash: undefined })), scope);
  t.is(await alone(await checkoutChain(party, checkout, {}, { checkout_jwt: undefined })), 'failed invalid_mandate');
});

test('a checkout that is not disclosed leaves it open', async t => {
  const open = await signOpen(party, openCheckout(party));
  const frame = { _sd: ['checkout_jwt'] };
  const chain = await delegate(open, party.agent, closedCheckout(await checkoutJwt(party)), { frame });
  t.is(await alone(chain), 'verified');
  const isCheckout = (part: string) => /^\["[^"]*","checkout_jwt"/.test(Buffer.from(part, 'base64url').toString());
  const withheld = chain
    .split('~')
    .filter(part => !isCheckout(part))
    .join('~');
  t.is(await alone(withheld), 'inconclusive unresolved_constraint');
});

test('the amount and the payee of the checkout are those of the event', async t => {
  const usd = { denomination: 'USD', currency: 'USD', asset: null };
  const chain = await checkoutChain(party, await checkoutJwt(party));
  t.is(await alone(chain, { amount: { value: 19_901n, ...usd } }), 'failed mandate_scope_mismatch');
  t.is(
    await alone(chain, { payee: { key: 'domain:x.example', type: null, name: null, country: null } }),
    'failed mandate_scope_mismatch',
  );
  const sample = await checkoutJwt(party, { totals: undefined, total_price: 199.0 });
  t.is(await alone(await checkoutChain(party, sample)), 'verified');
  const bare = await checkoutJwt(party, { totals: undefined, merchant: undefined });
  const open = { constraints: [] };
  t.is(await alone(await checkoutChain(party, bare, open)), 'inconclusive amount_not_comparable payee_not_comparable');
  t.is(
    await alone(await checkoutChain(party, 'free text', open)),
    'inconclusive amount_not_comparable payee_not_comparable',
  );
});

const entry = (quantity: number, ...ids: string[]) => ({
  id: 'line',
  quantity,
  acceptable_items: ids.map(id => ({ id, title: id })),
});
const line = (quantity: unknown, id: string) => ({ id: 'li', item: { id, title: id, price: 1 }, quantity, totals: [] });
const broken = 'failed invalid_mandate';
const unclear = 'inconclusive unresolved_constraint';
const baskets: [string, unknown, unknown, string][] = [
  ['one of two that are accepted', [entry(1, 'shoe', 'sock')], [line(1, 'sock')], 'verified'],
  ['two where one is accepted', [entry(1, 'shoe')], [line(2, 'shoe')], broken],
  ['one where two are asked for', [entry(2, 'shoe')], [line(1, 'shoe')], broken],
  ['one more than is asked for', [entry(1, 'shoe')], [line(1, 'shoe'), line(1, 'bag')], broken],
  ['none', [entry(1, 'shoe')], [], broken],
  [
    'one that serves only if another steps aside',
    [entry(1, 'shoe', 'sock'), entry(1, 'shoe')],
    [line(1, 'shoe'), line(1, 'sock')],
    'verified',
  ],
  [
    'some that step aside in part',
    [entry(3, 'a', 'b'), entry(2, 'a', 'c'), entry(2, 'a')],
    [line(3, 'a'), line(2, 'b'), line(2, 'c')],
    'verified',
  ],
  [
    'the right number, of which one serves nobody',
    [entry(2, 'a', 'b'), entry(2, 'a')],
    [line(1, 'a'), line(3, 'b')],
    broken,
  ],
  ['a fraction of one', [entry(1, 'shoe')], [line(0.5, 'shoe')], unclear],
  ['nothing that can be read', [entry(1, 'shoe')], 'shoe', unclear],
  ['one, and the entries are none', 'shoe', [line(1, 'shoe')], unclear],
  ['one, and the entries are empty', [], [line(1, 'shoe')], unclear],
  ['millions', [entry(9_000_000, 'shoe')], [line(9_000_000, 'shoe')], unclear],
];
for (const [title, items, line_items, expected] of baskets)
  test(`${expected}: the agent bought ${title}`, async t => {
    const constraints = [{ type: 'checkout.line_items', items }];
    t.is(await alone(await checkoutChain(party, await checkoutJwt(party, { line_items }), { constraints })), expected);
  });

test('a basket of thousands of items, each accepted by many entries, is judged', async t => {
  const ids = Array.from({ length: 80 }, (_, index) => `i${index}`);
  const wanted = ids.map(() => ({ quantity: 100, acceptable_items: ids.map(id => ({ id })) }));
  const bought = [...ids.map(id => ({ id, quantity: 99 })), { id: 'i0', quantity: 80 }];
  // Were every way to serve them tried, this would not end.
  t.is(judgeLineItems({ items: wanted }, bought).result, 'met');
});

test('a payment by a checkout is to the merchant as the person knows it', async t => {
  const thief = { id: 'merchant_1', name: 'Thief', website: 'https://thief.example' };
  const constraints = [{ type: 'checkout.allowed_merchants', allowed: [{ id: 'merchant_1', name: 'Demo Merchant' }] }];
  const chain = await checkoutChain(party, await checkoutJwt(party, { merchant: thief }), { constraints });
  const payee = (key: string) => ({ payee: { key, type: null, name: null, country: null } });
  t.is(await alone(chain, payee('domain:thief.example')), unclear);
  t.is(await alone(chain, payee('merchant:stripe:merchant_1')), 'verified');
});

test('only a merchant that is allowed may sell', async t => {
  const allowed = async (...merchants: object[]) =>
    alone(
      await checkoutChain(party, await checkoutJwt(party), {
        constraints: [{ type: 'checkout.allowed_merchants', allowed: merchants }],
      }),
    );
  t.is(await allowed({ id: 'merchant_1', name: 'x' }), 'verified');
  t.is(await allowed({ id: 'merchant_2', name: 'Demo Merchant' }), broken);
  t.is(await allowed(), broken);
});

test('a payment is for the checkout that was reported with it', async t => {
  const checkout = await checkoutJwt(party);
  const chain = await checkoutChain(party, checkout);
  const pay = async (transaction_id: string, mandate: string | null) =>
    result({
      'ap2.payment_mandate': await paymentChain(party, {}, { transaction_id }),
      'ap2.checkout_mandate': mandate,
    });
  t.is(await pay(digest(checkout), chain), 'verified');
  t.is(await pay(digest(`${checkout} `), `${chain}\n`), 'failed mandate_scope_mismatch');
  t.is(await pay(digest(`${checkout} `), chain), 'failed mandate_scope_mismatch');
  t.is(await pay('anything', null), 'verified');
  t.is(await pay('anything', 'nonsense'), 'verified');
});

test('a reference to an open checkout mandate is held against the one that was reported', async t => {
  const checkout = await checkoutJwt(party);
  const chain = await checkoutChain(party, checkout);
  const first = `${chain.split('~~')[0]}~`;
  const pay = async (conditional_transaction_id: unknown) => {
    const constraints = [{ type: 'payment.reference', conditional_transaction_id }];
    const payment = await paymentChain(party, { constraints }, { transaction_id: digest(checkout) });
    return result({ 'ap2.payment_mandate': payment, 'ap2.checkout_mandate': chain });
  };
  t.is(await pay(digest(first)), 'verified');
  t.is(await pay(digest(first.split('~')[0] ?? '')), 'verified');
  t.is(await pay(digest(chain)), broken);
  t.is(await pay(7), unclear);
});
