import type { Purchase } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { closeMandate } from './ap2.ts';
import type { Keyring } from './keyring.ts';
import type { DemoKey, Wallet } from './keys.ts';
import { x402Payload } from './x402.ts';

/** What a forger does differently. */
type X402Changes = { signer?: Wallet; pay_to?: string };
type Ap2Changes = { agent?: DemoKey; amount?: number };

/** An x402 purchase with the payload that the agent's wallet signed for it. */
export function withX402(
  purchase: Purchase,
  keyring: Keyring,
  random: Random,
  { signer, pay_to = addressOf(purchase) }: X402Changes = {},
): Purchase {
  const { agent, amount, resource_url = '', at } = purchase;
  const { asset, value } = amount;
  if (!asset) throw new Error('x402 pays in tokens');
  const payer = keyring.wallet(agent.external_id);
  const nonce = random.hex(64);
  const payload = x402Payload({ payer, asset, value, pay_to, resource_url, at, nonce, ...(signer && { signer }) });
  return { ...purchase, evidence: [{ kind: 'x402.payment_payload', value: payload }] };
}

/** A card purchase with what the agent made of an AP2 mandate: `open`, and behind it a mandate that it closed for this purchase. */
export function withAp2(
  purchase: Purchase,
  open: string,
  keyring: Keyring,
  random: Random,
  { agent: key, amount }: Ap2Changes = {},
): Purchase {
  const { agent, payee, description = '', at } = purchase;
  const closed = closeMandate(open, {
    agent: key ?? keyring.key(agent.external_id),
    payee: merchantOf(payee),
    amount: amount ?? Number(purchase.amount.value),
    currency: purchase.amount.currency ?? '',
    instrument: { id: agent.card.id ?? '', type: agent.card.type ?? '' },
    checkout: description,
    at,
    salt: random,
  });
  return { ...purchase, evidence: [{ kind: 'ap2.payment_mandate', value: closed }] };
}

/** A payee as AP2 names merchants: the id is the one that its payment service gave it. */
export const merchantOf = ({ key, name = '' }: Purchase['payee']) => ({ id: lastPart(key), name });

const addressOf = ({ payee }: Purchase): string => lastPart(payee.key);

const lastPart = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
