import { wrapAxiosWithPayment as wrapAxios } from '@x402/axios';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { x402Client } from '@x402/fetch';
import type { AxiosInstance } from 'axios';
import { testUsdc, wallet } from './proofs/x402.ts';

/** The client of x402 itself, which pays with a test key. */
export const payer = () =>
  new x402Client()
    .register(testUsdc.network, new ExactEvmScheme(wallet('payer')))
    .registerV1('base-sepolia', new ExactEvmSchemeV1(wallet('payer')));

/** The wrapper of axios has not come as far as that of fetch, and has types of its own for the same client. */
export const wrapAxiosWithPayment = (instance: AxiosInstance, client: x402Client) =>
  wrapAxios(instance, client as never);
