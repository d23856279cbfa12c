import { assetKey } from '#shared/values/assets.ts';
import { type BookPayment, createBook } from '#shared/mandates/book.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { JudgedMandate } from '#shared/mandates/evaluation.ts';
import { noRates, type Rates } from '#shared/values/price_in_usd.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { reported } from '#test/helpers/proofs/shown.ts';
import { loadedRate } from '#test/helpers/rates.ts';

export const USDC = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
export const DAI = { network: 'eip155:8453', address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb' };
export const EURC = { network: 'eip155:8453', address: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' };
export const WALLET = 'eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

/** One rate for every day. */
export const rates: Rates = {
  rateFor: currency => loadedRate({ EUR: '1.1', JPY: '0.0066', KWD: '3.25', BHD: '0' }[currency]),
};

export const time = (text: string): number => Date.parse(text);

/** A card payment of $10.00 on a Friday. */
export const event: ReportedEvent = reported({
  id: 'evt_1',
  occurred_at: time('2026-11-20T10:00:00Z'),
  amount: { value: 1_000n, denomination: 'USD', currency: 'USD', asset: null },
  usd_micro: 10_000_000n,
  payee: { key: 'domain:shop.example', type: 'merchant', name: 'The Shop', country: 'DE' },
});

type Paid = Pick<ReportedEvent, 'amount' | 'usd_micro'>;

/** An amount in a currency, with what it was priced at. */
export const inCurrency = (currency: string, value: bigint, usd_micro: bigint | null): Paid => ({
  amount: { value, denomination: currency, currency, asset: null },
  usd_micro,
});

export const usd = (cents: bigint): Paid => inCurrency('USD', cents, cents * 10_000n);

export const inAsset = (
  asset: { network: string; address: string },
  value: bigint,
  usd_micro: bigint | null,
): Paid => ({
  amount: {
    value,
    denomination: assetKey(asset.network, asset.address),
    currency: null,
    asset: { ...asset, decimals: null },
  },
  usd_micro,
});

export const usdc = (value: bigint): Paid => inAsset(USDC, value, value);

export const mandate: JudgedMandate = {
  id: 'mnd_1',
  agent_id: 'agt_1',
  version: 1,
  state: 'active',
  valid_from: null,
  valid_until: null,
  anchor: time('2026-01-01T00:00:00Z'),
  human_presence: 'not_required',
  constraints: [],
};

/** What else there is, beside the payment itself. */
export type Beside = {
  at?: string;
  seq?: number;
  earlier?: readonly (readonly [at: string, paid: Paid])[];
  rates?: Rates;
  anchor?: string;
};

/** Holds a payment against a mandate; its place in time is `at`. */
export function hold(terms: Partial<JudgedMandate>, change: Partial<ReportedEvent>, beside: Beside = {}) {
  const { at, seq = 1_000, earlier = [], rates = noRates } = beside;
  const book = createBook(rates);
  for (const [index, [at, paid]] of earlier.entries()) book.put(entry(at, index, paid));
  const payment = { ...event, ...change };
  const position = { at: at === undefined ? payment.occurred_at : time(at), seq };
  return evaluate({ ...mandate, ...terms }, payment, { position, meter: book, rates });
}

/** Holds a payment against one constraint, and answers with how that came out. */
export function judge(
  type: string,
  parameters: Record<string, unknown>,
  change: Partial<ReportedEvent> = {},
  beside: Beside = {},
) {
  const constraints = [{ type: `payment.${type}`, ...parameters }];
  const terms = beside.anchor === undefined ? { constraints } : { constraints, anchor: time(beside.anchor) };
  return hold(terms, change, beside).constraints.at(-1);
}

/** The result, and the code where there is one. */
export function verdict(...given: Parameters<typeof judge>): string {
  const answer = judge(...given);
  return answer?.code === undefined ? String(answer?.result) : `${answer.result} ${answer.code}`;
}

export const entry = (at: string, seq: number, { amount, usd_micro }: Paid): BookPayment => ({
  at: time(at),
  seq,
  denomination: amount.denomination,
  value: amount.value,
  usd_micro,
});
