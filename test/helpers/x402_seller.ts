import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type FacilitatorClient, x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import type { ExecutionContext } from 'ava';
import { keccak256, recoverTypedDataAddress, toHex } from 'viem';
import { listening } from './listening.ts';
import { testUsdc, wallet } from './proofs/x402.ts';

type Authorization = {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
};
type Hex = `0x${string}`;

/** A thousandth of a dollar. */
const PRICE = '1000';

/** Whoever settles payments, without a chain: it checks the signature, and every payment that bears one is as good as made. */
function facilitator(fails: string | undefined): FacilitatorClient {
  const authorizationOf = ({ payload }: PaymentPayload) =>
    payload as unknown as { signature: Hex; authorization: Authorization };
  const verify = async (payload: PaymentPayload, { asset, extra, payTo, amount }: PaymentRequirements) => {
    const { signature, authorization } = authorizationOf(payload);
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const payer = await recoverTypedDataAddress({
      domain: {
        name: String(extra?.['name']),
        version: String(extra?.['version']),
        chainId: 84_532,
        verifyingContract: asset as Hex,
      },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: from as Hex,
        to: to as Hex,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
        nonce: nonce as Hex,
      },
      signature,
    });
    return { isValid: payer === from && to === payTo && value === amount, payer };
  };
  return {
    verify,
    async settle(payload): Promise<SettleResponse> {
      const { from, nonce } = authorizationOf(payload).authorization;
      const settled = { network: testUsdc.network, payer: from } as const;
      if (fails !== undefined) return { ...settled, success: false, errorReason: fails, transaction: '' };
      return { ...settled, success: true, transaction: keccak256(nonce as Hex) };
    },
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: testUsdc.network }],
      extensions: [],
      signers: {},
    }),
  };
}

/**
 * Sells `/weather` for $0.001 over x402 on Base Sepolia, with the server of x402 itself; `/v1/weather` the same by version 1 of the protocol, which
 * that server speaks no more. `paid` counts what was sold.
 */
export async function openSeller(t: ExecutionContext, { fails }: { fails?: string } = {}) {
  const accepts = {
    scheme: 'exact',
    payTo: wallet('seller').address,
    price: '$0.001',
    network: testUsdc.network,
  } as const;
  const resources = new x402ResourceServer(facilitator(fails)).register(testUsdc.network, new ExactEvmScheme());
  const shop = new x402HTTPResourceServer(resources, { 'GET /weather': { accepts, description: 'Weather\nof today' } });
  await shop.initialize();
  const sold = { paid: 0, offered: 0 };

  const sell = async (request: IncomingMessage, response: ServerResponse, url: string) => {
    const header = (name: string) => request.headers[name.toLowerCase()] as string | undefined;
    const context = {
      adapter: {
        getHeader: header,
        getMethod: () => request.method ?? 'GET',
        getPath: () => new URL(url).pathname,
        getUrl: () => url,
        getAcceptHeader: () => 'application/json',
        getUserAgent: () => 'agent',
      },
      path: new URL(url).pathname,
      method: request.method ?? 'GET',
      paymentHeader: header('payment-signature'),
    };
    const asked = await shop.processHTTPRequest(context);
    if (asked.type === 'payment-error') {
      sold.offered += 1;
      return response.writeHead(asked.response.status, asked.response.headers).end(JSON.stringify(asked.response.body));
    }
    if (asked.type !== 'payment-verified') return response.writeHead(404).end();
    const settled = await shop.processSettlement(asked.paymentPayload, asked.paymentRequirements);
    if (!settled.success)
      return response
        .writeHead(settled.response.status, settled.response.headers)
        .end(JSON.stringify(settled.response.body));
    sold.paid += 1;
    return response.writeHead(200, settled.headers).end('"sunny"');
  };
  const sellAsBefore = (request: IncomingMessage, response: ServerResponse, url: string) => {
    if (request.headers['x-payment'] === undefined) {
      const { name, address: asset } = testUsdc;
      const terms = { scheme: 'exact', network: 'base-sepolia', maxAmountRequired: PRICE, asset, payTo: accepts.payTo };
      const told = {
        resource: url,
        description: '',
        mimeType: '',
        maxTimeoutSeconds: 60,
        extra: { name, version: '2' },
      };
      return response
        .writeHead(402)
        .end(JSON.stringify({ x402Version: 1, accepts: [{ ...terms, ...told }], error: 'pay' }));
    }
    sold.paid += 1;
    const settled = {
      success: true,
      transaction: keccak256(toHex(url)),
      network: 'base-sepolia',
      payer: wallet('payer').address,
    };
    const header = Buffer.from(JSON.stringify(settled)).toString('base64');
    return response.writeHead(200, { 'X-PAYMENT-RESPONSE': header }).end('"sunny"');
  };

  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}${request.url}`;
    if (request.url?.startsWith('/v1/')) return sellAsBefore(request, response, url);
    return sell(request, response, url);
  });
  return { url: `http://127.0.0.1:${await listening(t, server)}`, sold };
}
