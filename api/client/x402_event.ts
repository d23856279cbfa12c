import type { EvidencePiece, SentEvent } from './event_buffer.ts';
import { type PaymentFacts, paymentEvent, type Step } from './payment_events.ts';
import { atomic, decode, type Payload, type Required, type Settlement, termsOf } from './x402_messages.ts';
import type { PaymentAnswer, SentPayment } from './x402_payment.ts';

/** The payer, and more to say about the payments of an agent. */
export type Payer = Pick<PaymentFacts, 'agent' | 'owner'> & {
  /** What the agent was doing when it sent this request, and the like. */
  about?: (request: { url: string; method: string }) => About;
};
type About = Pick<SentEvent, 'context' | 'metadata' | 'category' | 'mandate_id' | 'source_id'>;

/** Creates the events of one payment over x402, each with the messages so far as its evidence. */
export type EventsOf = {
  requested: () => NewX402Event;
  authorized: () => NewX402Event;
  /** Null if nothing says what became of the payment. */
  ended: (answer: PaymentAnswer) => NewX402Event | null;
};
type NewX402Event = ReturnType<typeof paymentEvent>;

/** Reads a payment over x402, version 1 or 2. Throws an Error that says what cannot be read. */
export async function readPayment(sent: SentPayment, { agent, owner, about }: Payer): Promise<EventsOf> {
  const requirement = await sent.required;
  const required = requirement && (decode(requirement.text) as Required | null);
  const payload = decode(sent.payload) as Payload | null;
  const terms = payload && termsOf(payload, required);
  if (!terms)
    throw new Error(
      `What is paid to ${hostOf(sent.url)} over x402 cannot be read: no terms were seen that fit what is signed.`,
    );
  const { network, asset, payTo, amount } = terms;
  const description = oneLine(required?.resource?.description ?? terms.description, 500);
  const name = oneLine(hostOf(sent.url), 200);
  const pieces = {
    required: requirement ? [piece('x402.payment_required', requirement.text)] : [],
    payload: [piece('x402.payment_payload', sent.payload)],
  };
  const payment_id = `x402_${await digestOf(sent.payload)}`;
  const make = (
    step: Step,
    at: number,
    evidence: EvidencePiece[],
    more: Partial<PaymentFacts> & { value?: string } = {},
  ) => {
    const { value = amount, ...rest } = more;
    return paymentEvent(step, {
      payment_id,
      agent,
      owner,
      at,
      paid: {
        rail: 'x402',
        amount: { value, unit: 'atomic', asset: { network, address: asset } },
        payee: { key: `${network}:${payTo}`, ...(name && { name }) },
      },
      ...(!sent.is_declared && { resource_url: resourceOf(sent.url) }),
      ...(description && { description }),
      evidence: evidence.filter(({ value: text }) => text.length <= MOST_EVIDENCE),
      ...about?.(sent),
      ...rest,
    });
  };
  return {
    requested: () => make('requested', requirement?.at ?? sent.at, pieces.required),
    authorized: () => make('authorized', sent.at, [...pieces.required, ...pieces.payload]),
    ended(answer) {
      const settlement = answer.settlement === null ? null : (decode(answer.settlement) as Settlement | null);
      if (!settlement && answer.status !== 402) return null;
      const evidence = [
        ...pieces.required,
        ...pieces.payload,
        ...(settlement && answer.settlement ? [piece('x402.settlement_response', answer.settlement)] : []),
      ];
      // Of an amount authorized up to a maximum, less may be settled; a seller cannot change an exact amount.
      const settled = terms.scheme === 'exact' ? null : atomic(settlement?.amount);
      const value = settled !== null && BigInt(settled) <= BigInt(amount) ? settled : amount;
      if (settlement?.success === true) return make('settled', answer.at, evidence, { value });
      const refused = answer.required === null ? null : (decode(answer.required) as Required | null);
      const code = oneLine(settlement?.errorReason, 100) ?? oneLine(refused?.error, 100) ?? 'payment_refused';
      return make('failed', answer.at, evidence, { failure: { code } });
    },
  };
}

/** The most characters of a piece of evidence, and of a URL. */
const MOST_EVIDENCE = 65_536;
const MOST_URL = 2_048;

const piece = (kind: string, value: string) => ({ kind, value });

/** The same payment has the same digest, whoever reports it. */
async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest).subarray(0, 20), byte => byte.toString(16).padStart(2, '0')).join('');
}

/** The requested address, whatever the seller calls it: without a password, and shortened to what an event can hold. */
function resourceOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  [url.username, url.password, url.hash] = ['', '', ''];
  return [url.href, url.origin + url.pathname, url.origin].find(each => each.length <= MOST_URL);
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Outside text as one line; undefined if it is not text. A character is never cut in half. */
const oneLine = (text: unknown, most: number): string | undefined =>
  typeof text === 'string'
    ? text
        .slice(0, most)
        .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
        .trim() || undefined
    : undefined;
