import test, { type ExecutionContext } from 'ava';
import { type ServerResponse } from 'node:http';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { testUsdc, wallet } from '#test/helpers/proofs/x402.ts';
import { transferLog } from '#test/helpers/proofs/x402_chain.ts';
import { flow, noon } from '#test/shared/assessment/flow.ts';
import { chainNode } from '#test/shared/assessment/chain/node.ts';
import { createHandler as createChainHandler } from '#workers/handlers/chain.ts';

const hash = `0x${'cd'.repeat(32)}`;
const { network, address } = testUsdc;
const block = { hash: `0x${'0b'.repeat(32)}`, timestamp: `0x${(noon / SECOND).toString(16)}` };

/** A receipt in which the payer transfers so much to the seller. */
const receipt = (value: bigint) => ({
  status: '0x1',
  transactionHash: hash,
  blockHash: block.hash,
  blockNumber: '0x10',
  logs: [transferLog({ asset: address, from: wallet('payer').address, to: wallet('seller').address, value })],
});

/** A service that reads a chain from a node, and a payment that names its transaction. */
async function settled(t: ExecutionContext, receipts: unknown[], { chain_id = '0x14a34', said = true, at = 0 } = {}) {
  const answers = {
    eth_chainId: [chain_id],
    eth_getTransactionReceipt: receipts,
    eth_getBlockByNumber: [block],
  };
  const node = await chainNode(t, answers);
  const urls = { [network]: node.url };
  const w = await flow(t, { settings: said ? { CHAIN_RPC_URLS: JSON.stringify(urls) } : {} });
  const made = w.pay({ rail: 'x402', at });
  const payment = {
    ...made,
    payment: {
      ...(made['payment'] as object),
      amount: { value: '10000', unit: 'atomic', asset: { network, address } },
      payee: { key: `${network}:${wallet('seller').address}` },
    },
    evidence: [{ kind: 'onchain.transaction', value: { network, hash } }],
  };
  await w.send([payment]);
  await w.analyze();
  const jobs: { chain_seq: number; org_id: string; environment: string }[] = [];
  return {
    ...w,
    node,
    urls,
    payment,
    result: async () => (await w.detail(payment.id)).verification.result,
    /** What the schedule and a worker do: the look-ups that are due are queued, and worked off. */
    async work(services = w.services) {
      const queue = {
        ...services.queue,
        add: async (kind: string, added: unknown[]) => void (kind === 'chain' && jobs.push(...(added as typeof jobs))),
      };
      await reconcileKind('chain', { ...services, queue });
      const handle = createChainHandler(services);
      const due = jobs.splice(0);
      for (const job of due) await handle(job);
      return due.length;
    },
    states: () => w.db.anyFirst(sql.type(z.object({ state: z.string() }))`select state from chain_lookups`),
  };
}

test('a payment that its chain knows is verified, and the chain is not asked before that is its turn', async t => {
  const w = await settled(t, [receipt(10_000n)]);
  t.is(await w.result(), 'inconclusive');
  t.is(w.node.calls.length, 0, 'nothing is asked where events are taken in or judged');
  t.is(await w.work(), 1);
  t.is(await w.result(), 'verified');
  t.deepEqual(await w.states(), ['answered']);
  t.is(await w.work(), 0);
});

test('a payment that came before anybody said where its chain is read is verified once that is said', async t => {
  const w = await settled(t, [receipt(10_000n)], { said: false });
  t.is(await w.work(), 0);
  t.deepEqual(await w.states(), ['waiting']);
  const said = { ...w.services, config: { ...w.config, chain_rpc_urls: w.urls } };
  t.is(await w.work(said), 1);
  t.is(await w.result(), 'verified');
  t.is(await w.work(said), 0);
});

test('a payment of which its chain knows another amount fails, with an alert', async t => {
  const w = await settled(t, [receipt(9_999n)]);
  await w.work();
  t.is(await w.result(), 'failed');
  const [alert] = await w.alerts('detector=verification_failed');
  t.like(alert, { score: 75, event_ids: [w.payment.id] });
  await w.work();
  t.is((await w.alerts('detector=verification_failed')).length, 1);
});

test('a transaction that its chain does not know yet is looked for again, later and later', async t => {
  const w = await settled(t, [null, null, receipt(10_000n)]);
  t.is(await w.work(), 1);
  t.is(await w.result(), 'inconclusive');
  t.is(await w.work(), 0, 'not at once');
  w.moveTo(noon + 6 * HOUR + 15 * SECOND);
  t.is(await w.work(), 1);
  w.moveTo(noon + 6 * HOUR + 40 * SECOND);
  t.is(await w.work(), 0);
  w.moveTo(noon + 6 * HOUR + 45 * SECOND);
  t.is(await w.work(), 1);
  t.is(await w.result(), 'verified');
});

test('a transaction that its chain never knows stays inconclusive, and is no longer asked for in the end', async t => {
  const w = await settled(t, [null]);
  for (let hour = 7; hour < 20; hour += 1) {
    w.moveTo(noon + hour * HOUR);
    await w.work();
  }
  const [run] = (await w.detail(w.payment.id)).verification_runs;
  t.is(run.result, 'inconclusive');
  t.true(run.checks.some(({ code }: { code?: string }) => code === 'transaction_not_found'));
  t.is(w.node.calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length, 10);
  t.deepEqual(await w.alerts('detector=verification_failed'), []);
});

test('while the node refuses to answer, or is one of another chain, nothing is concluded', async t => {
  for (const w of [
    await settled(t, [(response: ServerResponse) => void response.writeHead(403).end()]),
    await settled(t, [receipt(10_000n)], { chain_id: '0x1' }),
  ]) {
    await w.work();
    t.is(await w.result(), 'inconclusive');
    t.deepEqual(await w.states(), ['pending']);
  }
});

test('a look-up whose job is lost is queued again', async t => {
  const w = await settled(t, [receipt(10_000n)]);
  const queue = { ...w.services.queue, add: async () => {} };
  const look = () => reconcileKind('chain', { ...w.services, queue });
  t.is(await look(), 1);
  t.is(await look(), 0, 'a worker has its time');
  w.moveTo(noon + 6 * HOUR + 3 * MINUTE);
  t.is(await w.work(), 1);
  t.is(await w.result(), 'verified');
});

test('an answer is kept together with what it came to, or not at all', async t => {
  const w = await settled(t, [receipt(10_000n)]);
  await w.asOwner('alter table verification_runs add constraint broken check (result <> $$verified$$) not valid');
  await t.throwsAsync(w.work());
  t.deepEqual(await w.states(), ['pending']);
  t.is(await w.result(), 'inconclusive');
  await w.asOwner('alter table verification_runs drop constraint broken');
  w.moveTo(noon + 6 * HOUR + 3 * MINUTE);
  await w.work();
  t.is(await w.result(), 'verified');
});

test('a transaction pays for one payment: in a second it is told of, and fails once the chain is read', async t => {
  const w = await settled(t, [receipt(10_000n)]);
  const second = { ...w.payment, id: w.pay().id, payment: { ...w.payment.payment, payment_id: 'another' } };
  await w.send([second]);
  await w.analyze();
  const results = async () => [await w.result(), (await w.detail(second.id)).verification.result];
  t.deepEqual(await results(), ['inconclusive', 'inconclusive'], 'before the chain is read');
  t.is((await w.alerts('detector=replayed_authorization')).length, 1);
  t.is(await w.work(), 2);
  t.deepEqual((await results()).toSorted(), ['failed', 'verified']);
});

test('who claims a transaction that is not theirs does not take it from whom it paid', async t => {
  const w = await settled(t, [receipt(10_000n)], { at: 2 * HOUR });
  const paid = { ...w.payment, ...w.pay({ rail: 'x402' }), payment: { ...w.payment.payment, payment_id: 'paid' } };
  await w.send([paid]);
  await w.analyze();
  await w.work();
  t.deepEqual([await w.result(), (await w.detail(paid.id)).verification.result], ['failed', 'verified']);
});
