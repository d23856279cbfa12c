import test from 'ava';
import * as fc from 'fast-check';
import { x402Settlement } from '#shared/verification/x402/settlement.ts';
import type { ChainLog, ChainTransaction, Evidence, Outcome } from '#shared/verification/verifier.ts';
import {
  type X402EventOptions,
  evidenceOf,
  inputOf,
  paidAt,
  paymentEvent,
  type PaymentOptions,
  signPayment,
  testUsdc,
  wallet,
} from '#test/helpers/proofs/x402.ts';
import { authorizationUsedLog, chainWith, transferLog } from '#test/helpers/proofs/x402_chain.ts';
import { runs } from '#test/helpers/runs.ts';

const hash = `0x${'ab'.repeat(32)}`;
const payer = wallet('payer').address;
const seller = wallet('seller').address;
const nonce = `0x${'42'.repeat(32)}`;
const settled = { success: true, transaction: hash, network: testUsdc.network, payer };
const asset = testUsdc.address;
const transfer = transferLog({ asset, from: payer, to: seller, value: 10_000n });
const used = authorizationUsedLog({ asset, from: payer, nonce });

type Shown = {
  response?: Evidence['value'];
  /** What was signed; null: it was not reported. */
  payment?: PaymentOptions | null;
  event?: X402EventOptions;
  logs?: ChainLog[];
  chain?: Partial<ChainTransaction> | null;
};

async function verify({
  response = settled,
  payment = {},
  event,
  logs = [used, transfer],
  chain,
}: Shown): Promise<Outcome> {
  const evidence = [evidenceOf('x402.settlement_response', response)];
  if (payment)
    evidence.push(
      evidenceOf('x402.payment_payload', (await signPayment({ nonce, ...payment } as PaymentOptions)).payload),
    );
  const transaction = chain && { succeeded: true, block_time: paidAt * 1000, logs, ...chain };
  const reader = chain === undefined ? {} : { chain: chainWith(transaction ?? null) };
  return x402Settlement.verify(evidence[0] as Evidence, inputOf(paymentEvent(event), evidence, reader));
}

const scopes = ({ facts }: Outcome) => facts.map(({ scope }) => scope);
const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);

test('without a chain a settlement is inconclusive, and the transaction is asked for', async t => {
  const outcome = await verify({});
  t.deepEqual([outcome.result, ...codes(outcome)], ['inconclusive', 'chain_not_read']);
  t.deepEqual(outcome.lookups, [{ network: 'eip155:84532', hash }]);
  t.deepEqual(scopes(outcome), [], 'what was signed is used once by itself');
  t.deepEqual(scopes(await verify({ payment: null })), ['chain_transaction']);
});

test('a settlement that the chain confirms is verified, with its authorization and without', async t => {
  const outcome = await verify({ chain: {} });
  t.is(outcome.result, 'verified');
  t.deepEqual(outcome.facts, [
    { scope: 'chain_transfer', value: `eip155:84532/${hash}/1`, code: 'transaction_reused' },
  ]);
  const unsigned = await verify({ chain: {}, payment: null });
  t.deepEqual([unsigned.result, ...scopes(unsigned)], ['verified', 'chain_transfer']);
  const header = Buffer.from(JSON.stringify(settled)).toString('base64');
  t.is((await verify({ chain: {}, response: header })).result, 'verified');
  t.is((await verify({ chain: {}, response: { ...settled, network: 'base-sepolia' } })).result, 'verified');
});

test('a transaction that the node does not know proves nothing', async t => {
  const outcome = await verify({ chain: null });
  t.deepEqual([outcome.result, ...codes(outcome), outcome.lookups], ['inconclusive', 'transaction_not_found', []]);
});

test('a settlement that contradicts payment, event or chain fails', async t => {
  const other = wallet('other').address;
  const log = { asset, from: payer, to: seller, value: 10_000n };
  for (const [shown, code] of [
    [{ response: { ...settled, network: 'eip155:8453' } }, 'invalid_network'],
    [{ response: { ...settled, network: 'nowhere' } }, 'invalid_network'],
    [{ response: { ...settled, payer: other } }, 'payer_mismatch'],
    [{ response: { ...settled, amount: '9999' } }, 'settlement_amount_mismatch'],
    [{ response: { ...settled, transaction: '' } }, 'invalid_payload'],
    [{ response: { ...settled, success: false, transaction: '' } }, 'settlement_status_conflict'],
    [{ event: { type: 'payment.failed', status: 'failed' } }, 'settlement_status_conflict'],
    [{ event: { value: 9_999n } }, 'settlement_amount_mismatch'],
    [{ event: { seller: other } }, 'recipient_mismatch'],
    [{ chain: { succeeded: false } }, 'invalid_transaction_state'],
    [{ chain: {}, logs: [] }, 'settlement_log_mismatch'],
    [{ chain: {}, logs: [transfer] }, 'settlement_log_mismatch'],
    [{ chain: {}, logs: [used] }, 'settlement_log_mismatch'],
    [{ chain: {}, logs: [used, transferLog({ ...log, value: 9_999n })] }, 'settlement_log_mismatch'],
    [{ chain: {}, logs: [used, transferLog({ ...log, to: other })] }, 'settlement_log_mismatch'],
    [{ chain: {}, logs: [used, transferLog({ ...log, from: other })] }, 'settlement_log_mismatch'],
    [{ chain: {}, logs: [used, transferLog({ ...log, asset: other })] }, 'settlement_log_mismatch'],
    [{ chain: { block_time: (paidAt - 3_601) * 1000 } }, 'block_time_mismatch'],
    [{ chain: { block_time: (paidAt + 3_601) * 1000 } }, 'block_time_mismatch'],
  ] as [Shown, string][]) {
    const outcome = await verify(shown);
    t.is(
      outcome.result,
      'failed',
      JSON.stringify(shown, (_name, value) => (typeof value === 'bigint' ? `${value}` : value)),
    );
    t.true(codes(outcome).includes(code), `${codes(outcome)} should have ${code}`);
  }
});

test('of what was authorized up to a maximum, less may be settled, but not more', async t => {
  const payment = { scheme: 'upto', value: 50_000n } as const;
  const response = { ...settled, amount: '10000' };
  t.is((await verify({ payment, response, chain: {}, logs: [transfer] })).result, 'verified');
  const authorized = { type: 'payment.authorized', status: 'authorized', value: 50_000n } as const;
  t.is((await verify({ payment, response, event: authorized, chain: {}, logs: [transfer] })).result, 'verified');
  const over = await verify({ payment: { ...payment, value: 9_999n }, response, chain: {}, logs: [transfer] });
  t.is(over.result, 'failed');
  t.true(codes(over).includes('invalid_upto_evm_payload_settlement_exceeds_amount'));
});

test('two payments settled in one transaction each have a transfer of their own', async t => {
  const second = { asset, from: payer, nonce: `0x${'43'.repeat(32)}` };
  const logs = [used, transfer, authorizationUsedLog(second), transfer];
  const facts = async (which: string) =>
    (await verify({ payment: { nonce: which } as PaymentOptions, logs, chain: {} })).facts.map(({ value }) => value);
  t.deepEqual(await facts(nonce), [`eip155:84532/${hash}/1`]);
  t.deepEqual(await facts(second.nonce), [`eip155:84532/${hash}/3`]);
});

test('of two transfers alike without an authorization nobody knows whose is whose', async t => {
  const outcome = await verify({ payment: null, chain: {}, logs: [transfer, transfer] });
  t.deepEqual([outcome.result, ...codes(outcome), outcome.facts], ['inconclusive', 'transfer_ambiguous', []]);
});

test('a failed settlement that is reported as failed is not contradicted, and nothing proves it', async t => {
  const response = {
    success: false,
    errorReason: 'insufficient_funds',
    transaction: '',
    network: testUsdc.network,
    payer,
  };
  const event = { type: 'payment.failed', status: 'failed' } as const;
  const outcome = await verify({ response, event });
  t.deepEqual([outcome.result, ...codes(outcome)], ['inconclusive', 'no_transaction']);
});

test('whatever stands where a settlement response should be, the answer is a result', async t => {
  t.is((await verify({ response: null })).result, 'inconclusive');
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.object()), async response => {
      t.is((await verify({ response: response as Evidence['value'], chain: {} })).result, 'failed');
    }),
    { numRuns: 150 },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(settled)), fc.jsonValue(), async (name, value) => {
      const outcome = await verify({ response: { ...settled, [name]: value }, chain: {} });
      // The payer may be left out: he is in the authorization too.
      if (value && name !== 'success') t.not(outcome.result, 'verified', `${name}: ${JSON.stringify(value)}`);
    }),
    { numRuns: 150 },
  );
});

test('a settlement with any byte changed is never verified', async t => {
  const json = JSON.stringify({ success: true, transaction: hash, network: testUsdc.network });
  const reader = { transaction: (lookup: { hash: string }) => (lookup.hash === hash ? found : null) };
  const found = { succeeded: true, block_time: paidAt * 1000, logs: [used, transfer] };
  const check = (response: string) => {
    const evidence = evidenceOf('x402.settlement_response', response);
    return x402Settlement.verify(evidence, inputOf(paymentEvent(), [evidence], { chain: reader }));
  };
  t.is((await check(json)).result, 'verified');
  await fc.assert(
    fc.asyncProperty(fc.nat(json.length - 1), fc.integer({ min: 1, max: 127 }), async (at, flip) => {
      const changed = json.slice(0, at) + String.fromCharCode(json.charCodeAt(at) ^ flip) + json.slice(at + 1);
      if (changed.toLowerCase() !== json) t.not((await check(changed)).result, 'verified', changed);
    }),
    { numRuns: runs(300) },
  );
});
