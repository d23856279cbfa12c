import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { ChainUnavailable, type ChainFault } from '#shared/assessment/chain/chain_unavailable.ts';
import { type ChainClientOptions, createChainClient } from '#shared/assessment/chain/json_rpc.ts';
import { transferLogs } from '#shared/verification/evm/transfer_logs.ts';
import { chainNode, recorded } from './node.ts';

const { network, hash, receipt, block, chain_id } = recorded;
const sound = () => ({
  eth_chainId: [chain_id] as unknown[],
  eth_getTransactionReceipt: [receipt] as unknown[],
  eth_getBlockByNumber: [block] as unknown[],
});

/** A client of one node; how long it would have waited between calls is kept instead of waited for. */
async function clientOf(
  t: ExecutionContext,
  answers: Partial<ReturnType<typeof sound>> = {},
  options: Partial<ChainClientOptions> = {},
) {
  const node = await chainNode(t, { ...sound(), ...answers });
  const waits: number[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const client = createChainClient({ urls: { [network]: node.url }, wait, ...options });
  const methods = () => node.calls.map(({ method }) => method.replace('eth_', ''));
  return { ...node, client, waits, methods };
}

type Client = Awaited<ReturnType<typeof clientOf>>['client'];

async function failsWith(t: ExecutionContext, client: Client, code: ChainFault) {
  const error = await t.throwsAsync(client.read({ network, hash }), { instanceOf: ChainUnavailable });
  t.is(error instanceof ChainUnavailable && error.code, code);
  t.notRegex(inspect(error, { depth: 10, showHidden: true }), /secret-api-key|127\.0\.0\.1/);
}

test('a transaction is read with its state, its time and its logs', async t => {
  const { client, calls } = await clientOf(t);
  const transaction = await client.read({ network, hash });
  t.is(transaction?.succeeded, true);
  t.is(transaction?.block_time, 0x67c08d5e * 1000);
  t.deepEqual(transferLogs(transaction?.logs ?? []), [
    {
      position: 1,
      asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
      from: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
      to: '0x209693bc6afc0c5328ba36faf03c514ef312287c',
      value: 10_000n,
    },
  ]);
  t.deepEqual(
    calls.map(({ params }) => params),
    [[], [hash], ['0x15be2f0', false]],
  );
});

test('what a chain knows is asked for once, and the chain of a node too', async t => {
  const { client, methods } = await clientOf(t);
  await client.read({ network, hash });
  await client.read({ network, hash: hash.toUpperCase().replace('0X', '0x') });
  t.deepEqual(methods(), ['chainId', 'getTransactionReceipt', 'getBlockByNumber']);
});

test('a transaction that is unknown or pending is null, and asked for again the next time', async t => {
  const pending = { ...receipt, blockNumber: null, blockHash: null };
  const { client, methods } = await clientOf(t, { eth_getTransactionReceipt: [null, pending, receipt] });
  t.is(await client.read({ network, hash }), null);
  t.is(await client.read({ network, hash }), null);
  t.is((await client.read({ network, hash }))?.succeeded, true);
  t.is(methods().filter(method => method === 'chainId').length, 1);
  t.is(await client.read({ network, hash: 'abc' }), null);
});

test('a reverted transaction is read as one that did not succeed', async t => {
  const { client } = await clientOf(t, { eth_getTransactionReceipt: [{ ...receipt, status: '0x0', logs: [] }] });
  t.is((await client.read({ network, hash }))?.succeeded, false);
});

test('what may pass is tried again, each time after a longer wait', async t => {
  const failing = (status: number) => (response: ServerResponse) => void response.writeHead(status).end();
  const { client, waits } = await clientOf(t, { eth_getTransactionReceipt: [failing(503), failing(429), receipt] });
  t.is((await client.read({ network, hash }))?.succeeded, true);
  t.deepEqual(waits, [1_000, 2_000]);
});

test('a node that stays broken is given up, and says nothing about the transaction', async t => {
  const answerWith = (status: number, body = '') => [
    (response: ServerResponse) => void response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body),
  ];
  const rpc = (members: object) => answerWith(200, JSON.stringify({ jsonrpc: '2.0', id: 1, ...members }));
  for (const [eth_getTransactionReceipt, code, tries] of [
    [answerWith(500), 'unreachable', 3],
    [answerWith(429), 'rate_limited', 3],
    [answerWith(401), 'refused', 1],
    [answerWith(307), 'refused', 1],
    [rpc({ error: { code: -32_000, message: 'header not found' } }), 'rpc_error', 3],
    [answerWith(200, 'oops'), 'invalid_answer', 1],
    [answerWith(200, '[]'), 'invalid_answer', 1],
    [rpc({ id: 2, result: receipt }), 'invalid_answer', 1],
    [rpc({ result: { ...receipt, status: 1 } }), 'invalid_answer', 1],
    [rpc({ result: { ...receipt, logs: null } }), 'invalid_answer', 1],
    [rpc({ result: { ...receipt, blockNumber: '0x01' } }), 'invalid_answer', 1],
    [rpc({ result: { ...receipt, transactionHash: `0x${'cd'.repeat(32)}` } }), 'invalid_answer', 1],
    [rpc({ result: { ...receipt, blockHash: `0x${'cd'.repeat(32)}` } }), 'block_not_found', 3],
    [answerWith(200, `"${'x'.repeat(1_048_576)}"`), 'answer_too_large', 1],
  ] as [unknown[], ChainFault, number][]) {
    const { client, methods } = await clientOf(t, { eth_getTransactionReceipt });
    await failsWith(t, client, code);
    t.is(methods().filter(method => method === 'getTransactionReceipt').length, tries, code);
  }
});

test('a node that does not answer in time is given up, even in the middle of an answer', async t => {
  const silent = () => {};
  const slow = (response: ServerResponse) => void response.writeHead(200).write('{"jsonrpc":');
  for (const answer of [silent, slow]) {
    const { client } = await clientOf(t, { eth_getTransactionReceipt: [answer] }, { timeout: 50, retries: 0 });
    await failsWith(t, client, 'timeout');
  }
});

test('a node that cannot be reached is given up', async t => {
  const urls = { [network]: 'http://127.0.0.1:1/v2/secret-api-key' };
  await failsWith(t, createChainClient({ urls, retries: 0 }), 'unreachable');
});

test('a node of another chain is not believed', async t => {
  const { client, methods } = await clientOf(t, { eth_chainId: ['0x2105'] });
  await failsWith(t, client, 'wrong_chain');
  t.deepEqual(methods(), ['chainId']);
});

test('a network without a node cannot be read', async t => {
  const error = await t.throwsAsync(createChainClient({ urls: {} }).read({ network: 'solana:x', hash }));
  t.is(error instanceof ChainUnavailable && error.code, 'network_not_configured');
});

test('a setting that is no URL of an EVM chain is refused without quoting it', t => {
  for (const urls of [
    { [network]: 'secret-api-key' },
    { [network]: 'ftp://secret-api-key' },
    { 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'https://node.example/secret-api-key' },
  ]) {
    const error = t.throws(() => createChainClient({ urls: urls as Record<string, string> }));
    t.notRegex(inspect(error), /secret-api-key/);
  }
});

test('a user name and password in the URL are sent as they should be', async t => {
  const node = await chainNode(t, sound());
  const urls = { [network]: node.url.replace('http://', 'http://user:pass%3A@') };
  t.is((await createChainClient({ urls }).read({ network, hash }))?.succeeded, true);
  t.is(node.calls[0]?.headers['authorization'], `Basic ${Buffer.from('user:pass:').toString('base64')}`);
});
