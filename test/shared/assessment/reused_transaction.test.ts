import test from 'ava';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { signPayment, testUsdc, wallet } from '#test/helpers/proofs/x402.ts';
import { type Flow, flow } from './flow.ts';

const hash = `0x${'ab'.repeat(32)}`;
const usdc = { network: testUsdc.network, address: testUsdc.address };
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const solana_usdc = { network: solana, address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' };

type Named = { network?: string; transaction?: string };

const response = ({ network = usdc.network, transaction = hash }: Named = {}, more = {}) => ({
  kind: 'x402.settlement_response',
  value: { success: true, transaction, network, ...more },
});
const onchain = ({ network = usdc.network, transaction = hash }: Named = {}) => ({
  kind: 'onchain.transaction',
  value: { network, hash: transaction },
});

type Paid = {
  payment_id: string;
  at?: number;
  type?: string;
  value?: string;
  payee?: string;
  asset?: object;
  evidence?: object[];
  agent?: string;
};

/** A payment of 0.01 USDC to the seller, whose evidence names one transaction unless it is said otherwise. */
function pay(w: Flow, { value = '10000', payee = wallet('seller').address, asset = usdc, agent, ...options }: Paid) {
  const { evidence = [onchain()], ...said } = options;
  const made = w.pay({ rail: 'x402', ...said, ...(agent && { more: { agent_id: agent } }) });
  const key = payee.includes(':') ? payee : `${usdc.network}:${payee}`;
  return {
    ...made,
    payment: { ...(made['payment'] as object), amount: { value, unit: 'atomic', asset }, payee: { key } },
    evidence,
  };
}

const resultsOf = async (w: Flow, events: readonly { id: string }[]) =>
  Promise.all(events.map(async ({ id }) => (await w.detail(id)).verification?.result ?? null));
const replaysOf = (w: Flow) => w.alerts('detector=replayed_authorization');

for (const [how, limit] of [
  ['in one range', 10],
  ['in several ranges, by processes that have just started', 1],
] as const)
  test(`one transaction that is booked as several payments is a replay from the second on, ${how}`, async t => {
    const w = await flow(t);
    const evidence = [response(), onchain()];
    const events = ['a', 'b', 'c'].map((payment_id, index) => pay(w, { payment_id, at: index * 3 * HOUR, evidence }));
    await w.send(events);
    for (let sent = 0; sent < events.length; sent += limit) await w.analyzeFresh(limit);
    t.deepEqual(await resultsOf(w, events), ['inconclusive', 'inconclusive', 'inconclusive']);
    const [first, second, third] = events;
    const { verification_runs } = await w.detail(second?.id ?? '');
    for (const { checks } of verification_runs) {
      const reused = checks.filter(({ name }: { name: string }) => name === 'single_use');
      t.deepEqual(reused, [
        {
          name: 'single_use',
          result: 'skip',
          code: 'transaction_reused',
          detail: 'It was used before, in payment a.',
        },
      ]);
    }
    const alerts = await replaysOf(w);
    t.deepEqual(
      alerts.map(({ event_ids, score }: { event_ids: string[]; score: number }) => [event_ids, score]),
      [
        [[second?.id, first?.id], 95],
        [[third?.id, first?.id], 95],
      ],
    );
    t.regex(alerts[0].explanation, /\(a transaction on the chain\) was used before, in payment a\./);
  });

test('a transaction is the same however it is written and by whichever evidence it is named', async t => {
  const w = await flow(t);
  const loud = { network: 'base-sepolia', transaction: `0x${'AB'.repeat(32)}` };
  const events = [
    pay(w, { payment_id: 'a', evidence: [response()] }),
    pay(w, { payment_id: 'b', evidence: [onchain(loud)], payee: wallet('seller').address.toLowerCase() }),
  ];
  await w.send(events);
  await w.analyze();
  t.is((await replaysOf(w)).length, 1);
});

test('signatures of Solana are compared as they are', async t => {
  const w = await flow(t);
  const said = (payment_id: string, transaction: string) => ({
    payment_id,
    asset: solana_usdc,
    payee: `${solana}:7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV`,
    evidence: [onchain({ network: solana, transaction })],
  });
  const events = [said('a', 'Ab'.repeat(44)), said('b', 'aB'.repeat(44)), said('c', 'Ab'.repeat(44))].map(paid =>
    pay(w, paid),
  );
  await w.send(events);
  await w.analyze();
  t.deepEqual(
    (await replaysOf(w)).map(({ event_ids }: { event_ids: string[] }) => event_ids),
    [[events[2]?.id, events[0]?.id]],
  );
});

test('a transaction may pay many payees, and a payee several amounts', async t => {
  const w = await flow(t);
  const events = [
    ...['one', 'two', 'three'].map(name => pay(w, { payment_id: name, payee: wallet(name).address })),
    ...['20000', '30000'].map(value => pay(w, { payment_id: value, value, payee: wallet('one').address })),
    pay(w, { payment_id: 'next', at: MINUTE, evidence: [onchain({ transaction: `0x${'cd'.repeat(32)}` })] }),
  ];
  await w.send(events);
  await w.analyze();
  t.deepEqual(new Set(await resultsOf(w, events)), new Set(['inconclusive']));
  t.deepEqual(await replaysOf(w), []);
});

test('what is reported of one payment again and again names its transaction again, which is no replay', async t => {
  const w = await flow(t);
  const events = [
    pay(w, { payment_id: 'a', type: 'payment.authorized', evidence: [response()] }),
    pay(w, { payment_id: 'a', at: MINUTE, evidence: [response(), onchain(), onchain()] }),
    pay(w, { payment_id: 'a', at: 2 * MINUTE }),
  ];
  await w.send(events);
  await w.analyze({ limit: 1 });
  t.deepEqual(await resultsOf(w, events), ['inconclusive', 'inconclusive', 'inconclusive']);
  t.deepEqual(await replaysOf(w), []);
});

test('a payment that failed, was canceled or was paid back uses up no transaction', async t => {
  const w = await flow(t);
  const undone = ['payment.failed', 'payment.canceled', 'payment.refunded', 'payment.disputed'];
  const failed = response({}, { success: false });
  const events = [
    ...undone.map(type => pay(w, { payment_id: type, type })),
    pay(w, { payment_id: 'in vain', type: 'payment.failed', evidence: [failed] }),
    pay(w, { payment_id: 'paid', at: MINUTE }),
    ...undone.map(type => pay(w, { payment_id: `${type} later`, type, at: 2 * MINUTE })),
  ];
  await w.send(events);
  await w.analyze();
  t.deepEqual(new Set(await resultsOf(w, events)), new Set(['inconclusive']));
  t.deepEqual(await replaysOf(w), []);
});

test('evidence that contradicts its payment uses up no transaction', async t => {
  const w = await flow(t);
  const events = [
    pay(w, { payment_id: 'a', evidence: [response({}, { success: false })] }),
    pay(w, { payment_id: 'b', evidence: [response({ network: 'nowhere' })] }),
    pay(w, { payment_id: 'c', at: MINUTE, evidence: [response()] }),
  ];
  await w.send(events);
  await w.analyze();
  t.deepEqual(await resultsOf(w, events), ['failed', 'failed', 'inconclusive']);
  t.deepEqual(await replaysOf(w), []);
});

test('payments that are authorized one by one may be settled in one transaction', async t => {
  const w = await flow(t);
  const proofs = await Promise.all(['41', '42'].map(digits => signPayment({ nonce: `0x${digits.repeat(32)}` })));
  const events = proofs.map(({ payload }, index) =>
    pay(w, {
      payment_id: `pay ${index}`,
      evidence: [{ kind: 'x402.payment_payload', value: payload }, response(), onchain()],
    }),
  );
  await w.send(events);
  await w.analyze();
  t.deepEqual(await replaysOf(w), []);
});

test('a transaction that another agent names is a replay, whatever the payment is called', async t => {
  const w = await flow(t);
  const events = [pay(w, { payment_id: 'a' }), pay(w, { payment_id: 'a', agent: 'agt_01hzy3v7q4j8k9m0n1p2r3s4t5' })];
  await w.send(events);
  await w.analyze();
  t.is((await replaysOf(w)).length, 1);
});
