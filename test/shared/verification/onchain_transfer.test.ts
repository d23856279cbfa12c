import test from 'ava';
import * as fc from 'fast-check';
import { onchainTransfer } from '#shared/verification/onchain_transfer.ts';
import type { ChainTransaction, Evidence, Outcome } from '#shared/verification/verifier.ts';
import {
  type X402EventOptions,
  evidenceOf,
  inputOf,
  paidAt,
  paymentEvent,
  testUsdc,
  wallet,
} from '#test/helpers/proofs/x402.ts';
import { chainWith, transferLog } from '#test/helpers/proofs/x402_chain.ts';

const hash = `0x${'cd'.repeat(32)}`;
const [from, to] = [wallet('payer').address, wallet('seller').address];
const transfer = transferLog({ asset: testUsdc.address, from, to, value: 10_000n });
const back = transferLog({ asset: testUsdc.address, from: to, to: from, value: 10_000n });
const named = { network: testUsdc.network, hash };

type Shown = { value?: Evidence['value']; event?: X402EventOptions; chain?: Partial<ChainTransaction> | null };

async function verify({ value = named, event, chain }: Shown): Promise<Outcome> {
  const evidence = evidenceOf('onchain.transaction', value);
  const transaction = chain && { succeeded: true, block_time: paidAt * 1000, logs: [transfer], ...chain };
  const reader = chain === undefined ? {} : { chain: chainWith(transaction ?? null) };
  return onchainTransfer.verify(evidence, inputOf(paymentEvent(event), [evidence], reader));
}

/** The transaction as it is used up by a payment of 0.01 USDC to the seller. */
const transactionOf = (used: string) =>
  JSON.stringify([
    named.network,
    used,
    `${named.network}/${to.toLowerCase()}`,
    `${named.network}/${testUsdc.address.toLowerCase()}`,
    '10000',
  ]);

const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);

test('a transaction that was not read yet is asked for', async t => {
  const outcome = await verify({ value: { network: 'base-sepolia', hash: hash.toUpperCase().replace('0X', '0x') } });
  t.deepEqual([outcome.result, ...codes(outcome)], ['inconclusive', 'chain_not_read']);
  t.deepEqual(outcome.lookups, [named]);
  t.deepEqual(outcome.facts, [
    { scope: 'chain_transaction', value: transactionOf(hash), code: 'transaction_reused', is_claimed: true },
  ]);
});

test('a transaction that moves the amount to the payee proves the payment, once', async t => {
  const outcome = await verify({ chain: {} });
  t.is(outcome.result, 'verified');
  t.deepEqual(outcome.facts, [
    { scope: 'chain_transfer', value: `eip155:84532/${hash}/0`, code: 'transaction_reused' },
  ]);
  const amount = { value: 1n, denomination: 'USD', currency: 'USD', asset: null };
  t.is((await verify({ chain: {}, event: { amount, usd_micro: 10_000n } })).result, 'verified');
});

test('of two transfers alike in one transaction nobody knows whose is whose', async t => {
  const outcome = await verify({ chain: { logs: [transfer, transfer] } });
  t.deepEqual([outcome.result, ...codes(outcome), outcome.facts], ['inconclusive', 'transfer_ambiguous', []]);
});

test('a refund is proven by a transfer back from the payee', async t => {
  const event = { type: 'payment.refunded', status: 'refunded' } as const;
  const refunded = await verify({ chain: { logs: [back] }, event });
  t.is(refunded.result, 'verified');
  t.deepEqual(
    refunded.facts.map(({ scope }) => scope),
    ['chain_transfer'],
  );
  t.is((await verify({ chain: { logs: [back] } })).result, 'failed');
});

test('a transaction that moves something else, or nothing, fails', async t => {
  for (const [shown, code] of [
    [{ event: { value: 10_001n } }, 'settlement_log_mismatch'],
    [{ event: { seller: wallet('other').address } }, 'settlement_log_mismatch'],
    [{ chain: { logs: [] } }, 'settlement_log_mismatch'],
    [
      { chain: { logs: [{ ...transfer, topics: [...transfer.topics, `0x${'00'.repeat(32)}`] }] } },
      'settlement_log_mismatch',
    ],
    [{ chain: { succeeded: false } }, 'invalid_transaction_state'],
    [{ chain: { block_time: (paidAt - 86_400) * 1000 } }, 'block_time_mismatch'],
    [{ event: { type: 'payment.failed', status: 'failed' } }, 'invalid_transaction_state'],
    [{ value: { ...named, network: 'eip155:8453' } }, 'invalid_network'],
    [{ value: { ...named, network: 'nowhere' } }, 'invalid_network'],
    [{ value: { ...named, hash: '0x12' } }, 'invalid_payload'],
    [{ value: { network: named.network } }, 'invalid_payload'],
    [{ value: '{"network":1}' }, 'invalid_payload'],
  ] as [Shown, string][]) {
    const outcome = await verify({ chain: {}, ...shown });
    t.is(outcome.result, 'failed', code);
    t.true(codes(outcome).includes(code), `${codes(outcome)} should have ${code}`);
  }
});

test('what cannot be compared or read is inconclusive', async t => {
  const payee = { key: 'domain:example.com', type: null, name: null, country: null };
  t.deepEqual(codes(await verify({ chain: {}, event: { payee } })), ['payee_not_comparable']);
  t.deepEqual(codes(await verify({ chain: null })), ['transaction_not_found']);
  t.deepEqual(codes(await verify({ value: null })), ['evidence_erased']);
  const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  const asset = { network, address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' };
  t.deepEqual(codes(await verify({ value: { network, hash: '5'.repeat(88) }, event: { asset } })), [
    'network_not_supported',
  ]);
});

test('whatever stands where a transaction should be, the answer is a result', async t => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.object()), async value => {
      t.is((await verify({ value: value as Evidence['value'], chain: {} })).result, 'failed');
    }),
    { numRuns: 200 },
  );
});
