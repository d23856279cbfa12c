import type { EvidencePiece, SentEvent } from './event_buffer.ts';
import { type PaymentFacts, paymentEvent, type Step } from './payment_events.ts';
import type { PaymentAnswer, SentPayment } from './x402_traffic.ts';

/** Who pays, and what else is to be said of the payments of an agent. */
export type Payer = Pick<PaymentFacts, 'agent' | 'owner'> & {
  /** What the agent was doing when it sent this request, and the like. */
  about?: (request: { url: string; method: string }) => About;
};
type About = Pick<SentEvent, 'context' | 'metadata' | 'category' | 'mandate_id' | 'source_id'>;

/** Makes the events of one payment over x402, each with the messages so far as its evidence. */
export type EventsOf = {
  requested: () => NewX402Event;
  authorized: () => NewX402Event;
  /** Null where nothing says what became of the payment. */
  ended: (answer: PaymentAnswer) => NewX402Event | null;
};
type NewX402Event = ReturnType<typeof paymentEvent>;

/** Reads a payment over x402, version 1 or 2. Throws an Error that says what cannot be read. */
export async function readPayment(sent: SentPayment, { agent, owner, about }: Payer): Promise<EventsOf> {
  const required_text = (await sent.required?.text) ?? null;
  const required = required_text === null ? null : (decode(required_text) as Required | null);
  const payload = decode(sent.payload) as Payload | null;
  const terms = payload && (payload.accepted ?? termsOf(payload, required));
  if (!terms?.network || !terms.payTo || !terms.asset)
    throw new Error(`What is paid to ${hostOf(sent.url)} over x402 cannot be read: its terms were not seen.`);
  const amount = terms.amount ?? terms.maxAmountRequired ?? '';
  const resource_url = [payload?.resource?.url, required?.resource?.url, terms.resource, sent.url].find(isUrl);
  const description = required?.resource?.description ?? terms.description;
  const pieces = {
    required: required_text === null ? [] : [piece('x402.payment_required', required_text)],
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
        amount: { value, unit: 'atomic', asset: { network: terms.network, address: terms.asset } },
        payee: { key: `${terms.network}:${terms.payTo}`, name: hostOf(sent.url) },
      },
      resource_url,
      ...(description && { description: oneLine(description, 500) }),
      evidence: evidence.filter(({ value: text }) => text.length <= MOST_EVIDENCE),
      ...about?.(sent),
      ...rest,
    });
  };
  return {
    requested: () => make('requested', sent.required?.at ?? sent.at, pieces.required),
    authorized: () => make('authorized', sent.at, [...pieces.required, ...pieces.payload]),
    ended(answer) {
      const settlement = answer.settlement === null ? null : (decode(answer.settlement) as Settlement | null);
      if (!settlement && answer.status !== 402) return null;
      const evidence = [
        ...pieces.required,
        ...pieces.payload,
        ...(settlement && answer.settlement ? [piece('x402.settlement_response', answer.settlement)] : []),
      ];
      // Of what was authorized up to a maximum, less may be settled.
      const value = /^\d+$/.test(settlement?.amount ?? '') ? settlement?.amount : amount;
      if (settlement?.success) return make('settled', answer.at, evidence, { value });
      const refused = answer.required === null ? null : (decode(answer.required) as Required | null);
      const code = settlement?.errorReason || refused?.error || 'payment_refused';
      return make('failed', answer.at, evidence, { failure: { code: oneLine(code, 100) } });
    },
  };
}

type Resource = { url?: string; description?: string };
type Terms = {
  scheme: string;
  network: string;
  asset: string;
  payTo: string;
  amount?: string;
  maxAmountRequired?: string;
  resource?: string;
  description?: string;
};
type Required = { accepts?: Terms[]; resource?: Resource; error?: string };
type Payload = {
  scheme?: string;
  network?: string;
  accepted?: Terms;
  resource?: Resource;
  payload?: { authorization?: { to?: string; value?: string } };
};
type Settlement = { success?: boolean; amount?: string; errorReason?: string };

/** Version 1 does not say which of the terms were accepted: those that are met, or else the first of the scheme and the network. */
function termsOf({ scheme, network, payload }: Payload, required: Required | null): Terms | undefined {
  const alike = (required?.accepts ?? []).filter(each => each.scheme === scheme && each.network === network);
  const { to = '', value } = payload?.authorization ?? {};
  return (
    alike.find(each => each.payTo?.toLowerCase() === to.toLowerCase() && each.maxAmountRequired === value) ?? alike[0]
  );
}

/** The most that a piece of evidence may hold. */
const MOST_EVIDENCE = 65_536;

const piece = (kind: string, value: string) => ({ kind, value });

/** An object of JSON, or of JSON in base64 as headers carry it; null where it is none. */
function decode(text: string): object | null {
  try {
    const json = text.trimStart().startsWith('{')
      ? text
      : new TextDecoder().decode(Uint8Array.from(atob(text), character => character.charCodeAt(0)));
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** The same payment has the same digest, whoever reports it. */
async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest).subarray(0, 20), byte => byte.toString(16).padStart(2, '0')).join('');
}

const isUrl = (text: string | undefined): text is string => text !== undefined && URL.canParse(text);
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
const oneLine = (text: string, most: number): string =>
  String(text)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, most);
