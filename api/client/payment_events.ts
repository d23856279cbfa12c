import { atomic, type Currency, minor, type Token } from './amounts.ts';
import type { NewEvent, SentEvent } from './event_buffer.ts';
import { createEventId } from './ids.ts';

/** What happened to a payment. */
export type Step = keyof typeof steps;

type Payment = SentEvent['payment'];
/** How and to whom a payment was made, as returned by the rails' builders below. */
export type Paid = Pick<Payment, 'rail' | 'amount' | 'payee'>;

type FactName = 'id' | 'type' | 'occurred_at' | 'payment' | 'agent' | 'owner' | 'agent_id' | 'owner_id';
export type PaymentFacts = Omit<SentEvent, FactName> & {
  id?: string;
  /** The same in all events of a payment. */
  payment_id: string;
  /** Your own ids of the agent and of its owner, or their full descriptions. */
  agent: string | NonNullable<Party<'agent'>>;
  owner: string | NonNullable<Party<'owner'>>;
  /** When it happened; now when omitted. */
  at?: Date | number;
  paid: Paid;
};
type Party<N extends 'agent' | 'owner', E = SentEvent> = E extends unknown ? (N extends keyof E ? E[N] : never) : never;

/**
 * Creates an event of a payment: `paymentEvent('settled', { payment_id, agent: 'buyer-1', owner: 'team-1', paid: card({ … }) })`. It
 * contains its id, so create it once, when it happens, and send it as often as you like.
 */
export function paymentEvent(
  step: Step,
  { id, payment_id, agent, owner, at = Date.now(), paid, ...more }: PaymentFacts,
): NewEvent & { id: string } {
  const [type, status] = steps[step];
  return {
    ...more,
    id: id ?? createEventId(Number(at)),
    type,
    occurred_at: new Date(at).toISOString(),
    agent: typeof agent === 'string' ? { external_id: agent } : agent,
    owner: typeof owner === 'string' ? { external_id: owner } : owner,
    payment: { payment_id, status, ...paid },
  };
}

const steps = {
  requested: ['payment.requested', 'pending'],
  authorized: ['payment.authorized', 'authorized'],
  settled: ['payment.settled', 'settled'],
  failed: ['payment.failed', 'failed'],
  canceled: ['payment.canceled', 'canceled'],
  refunded: ['payment.refunded', 'refunded'],
  partially_refunded: ['payment.refunded', 'partially_refunded'],
  disputed: ['payment.disputed', 'disputed'],
} as const;

type PayeeDetails = Omit<Payment['payee'], 'key'>;
/** `amount` is decimal text, such as `'12.50'`. */
type Money = { amount: string; currency: Currency; payee?: PayeeDetails };
type Fixed = Omit<Money, 'currency'>;

const fiat = (rail: Payment['rail'], key: string, { amount, currency, payee }: Money): Paid => ({
  rail,
  amount: minor(amount, currency),
  payee: { key, ...payee },
});
const tokens = (rail: Payment['rail'], key: string, amount: Paid['amount'], payee: PayeeDetails | undefined): Paid => ({
  rail,
  amount,
  payee: { key, ...payee },
});

/** By card: `psp` is the payment service (`stripe`), `merchant` the id that it knows the merchant by. */
export const card = ({ psp, merchant, ...money }: Money & { psp: string; merchant: string }): Paid =>
  fiat('card', `merchant:${psp}:${merchant}`, money);

/** By ACH, in US dollars: routing number and account. */
export const ach = ({ routing, account, ...money }: Fixed & { routing: string; account: string }): Paid =>
  fiat('ach', `account:ach:${routing}-${account}`, { ...money, currency: 'USD' });

/** By RTP or FedNow, in US dollars: routing number and account. */
export const rtp = ({ routing, account, ...money }: Fixed & { routing: string; account: string }): Paid =>
  fiat('rtp', `account:ach:${routing}-${account}`, { ...money, currency: 'USD' });

/** By SEPA, in euros. */
export const sepa = ({ iban, ...money }: Fixed & { iban: string }): Paid =>
  fiat('sepa', `iban:${iban}`, { ...money, currency: 'EUR' });

/** By wire, to an IBAN. */
export const wire = ({ iban, ...money }: Money & { iban: string }): Paid => fiat('wire', `iban:${iban}`, money);

/** By the UK's Faster Payments, in pounds: sort code and account. */
export const fps = ({ sort_code, account, ...money }: Fixed & { sort_code: string; account: string }): Paid =>
  fiat('fps', `account:uk:${sort_code}-${account}`, { ...money, currency: 'GBP' });

/** By Pix, in reais: a key of the directory. */
export const pix = ({ key, ...money }: Fixed & { key: string }): Paid =>
  fiat('pix', `account:pix:${key}`, { ...money, currency: 'BRL' });

/** By UPI, in rupees: a virtual payment address, `name@bank`. */
export const upi = ({ address, ...money }: Fixed & { address: string }): Paid =>
  fiat('upi', `account:upi:${address}`, { ...money, currency: 'INR' });

/** By x402, when the server's own messages are not available: `to` is the account paid. */
export const x402 = ({ amount, asset, to, payee }: OnChain): Paid =>
  tokens('x402', `${asset.network}:${to}`, atomic(amount, asset), payee);

/** A transfer of a stablecoin on its chain; `to` is the account paid. */
export const stablecoin = ({ amount, asset, to, payee }: OnChain): Paid =>
  tokens('stablecoin', `${asset.network}:${to}`, atomic(amount, asset), payee);

type OnChain = { amount: string; asset: Token; to: string; payee?: PayeeDetails };

/** Over Lightning, in satoshis with up to three decimal places; `to` is a node key, a lightning address, an LNURL or an offer. */
export const lightning = ({ sats, to, payee }: { sats: string; to: string; payee?: PayeeDetails }): Paid =>
  tokens('lightning', `account:lightning:${to}`, { ...atomic(sats, satoshi), asset: bitcoin }, payee);

const bitcoin = {
  network: 'bip122:000000000019d6689c085ae165831e93',
  address: 'slip44:0',
  symbol: 'BTC',
  // Counted in thousandths of a satoshi.
  decimals: 11,
};
const satoshi = { ...bitcoin, decimals: 3 };

/** From a balance with a service, such as credits or a wallet: `account` is the payee's account there. */
export const balance = ({
  rail,
  scheme,
  account,
  ...money
}: Money & { rail: 'wallet' | 'credits' | 'other'; scheme: string; account: string }): Paid =>
  fiat(rail, `account:${scheme}:${account}`, money);
