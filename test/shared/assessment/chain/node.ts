import { createServer } from 'node:http';
import type { ExecutionContext } from 'ava';
import { listening } from '#test/helpers/listening.ts';

/** A call as a node got it. */
export type Call = { method: string; params: unknown[]; headers: NodeJS.Dict<string | string[]>; url: string };

/**
 * A node of an EVM chain on 127.0.0.1 that answers JSON-RPC calls. Of a list of results it gives one after the other, the last one for
 * ever; a function gets the response to do with as it likes. The node is closed when the test ends.
 */
export async function chainNode(t: ExecutionContext, answers: Record<string, unknown[]>) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      calls.push({ method, params, headers: request.headers, url: request.url ?? '' });
      const given = answers[method] ?? [];
      const answer = given.length > 1 ? given.shift() : given[0];
      if (typeof answer === 'function') return void answer(response, id);
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: answer ?? null }));
    });
  });
  return { url: `http://127.0.0.1:${await listening(t, server)}/v2/secret-api-key`, calls };
}

/** Answers of a node of Base Sepolia to a settled payment, as nodes write them. */
export const recorded = {
  hash: `0x${'ab'.repeat(32)}`,
  network: 'eip155:84532',
  chain_id: '0x14a34',
  receipt: {
    type: '0x2',
    status: '0x1',
    transactionHash: `0x${'ab'.repeat(32)}`,
    transactionIndex: '0x5',
    blockHash: `0x${'0b'.repeat(32)}`,
    blockNumber: '0x15be2f0',
    from: '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
    to: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    contractAddress: null,
    cumulativeGasUsed: '0xa2b1c',
    gasUsed: '0x14f5b',
    effectiveGasPrice: '0xf4258',
    l1Fee: '0x2f1a9c8',
    logsBloom: `0x${'00'.repeat(256)}`,
    logs: [
      {
        address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        topics: [
          '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
          '0x000000000000000000000000857b06519e91e3a54538791bdbb0e22373e36b66',
          '0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480',
        ],
        data: '0x',
        blockHash: `0x${'0b'.repeat(32)}`,
        blockNumber: '0x15be2f0',
        transactionHash: `0x${'ab'.repeat(32)}`,
        transactionIndex: '0x5',
        logIndex: '0x9',
        removed: false,
      },
      {
        address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          '0x000000000000000000000000857b06519e91e3a54538791bdbb0e22373e36b66',
          '0x000000000000000000000000209693bc6afc0c5328ba36faf03c514ef312287c',
        ],
        data: '0x0000000000000000000000000000000000000000000000000000000000002710',
        blockHash: `0x${'0b'.repeat(32)}`,
        blockNumber: '0x15be2f0',
        transactionHash: `0x${'ab'.repeat(32)}`,
        transactionIndex: '0x5',
        logIndex: '0xa',
        removed: false,
      },
    ],
  },
  block: {
    number: '0x15be2f0',
    hash: `0x${'0b'.repeat(32)}`,
    parentHash: `0x${'0a'.repeat(32)}`,
    timestamp: '0x67c08d5e',
    transactions: [`0x${'ab'.repeat(32)}`],
  },
};
