import type { Rail } from '#shared/values/event_types.ts';
import { asRecord, type JsonObject, textOf } from '#shared/verification/json.ts';
import type { PspStatement } from '#shared/verification/psp_webhook/statement.ts';
import { captureNotice } from './captures.ts';
import { type NoticeFacts, oneLineOf, withoutMissing } from './facts.ts';

/**
 * The contents of an Adyen notification beyond those for verification (docs.adyen.com, "Webhook structure"). A modification, such as a
 * refund, has its own reference, and names that of its payment. Adyen sends the metadata of a payment individually, as
 * `additionalData."metadata.agent_id"`.
 */
export function adyenFacts(item: JsonObject, said: PspStatement): Partial<NoticeFacts> {
  const more = asRecord(item['additionalData']) ?? {};
  const metadata = asRecord(item['metadata']) ?? asRecord(more['metadata']) ?? {};
  const party = (name: string) => oneLineOf(more[`metadata.${name}`] ?? metadata[name], 200);
  const failed = said.types?.[0] === 'payment.failed';
  const reference = textOf(item, 'pspReference');
  const original = textOf(item, 'originalReference');
  const isCapture = /^CAPTURE(?:_FAILED)?$/.test(textOf(item, 'eventCode') ?? '');
  const message = failed ? oneLineOf(item['reason'], 1_000) : null;
  return withoutMissing({
    notice: said.notice && `adyen ${said.notice}`,
    payment_id: original ?? reference,
    capture: isCapture ? captureNotice(original, reference) : null,
    agent: party('agent_id'),
    owner: party('owner_id'),
    payee: { key: `merchant:adyen:${said.merchants[0] ?? 'self'}` },
    rail: railOf(textOf(item, 'paymentMethod')),
    failure: message === null ? null : { message },
  });
}

/** There are many names of card schemes, with variants such as `visa_applepay`; other methods are few. */
function railOf(method: string | null): Rail {
  if (method === null) return 'card';
  const entry = rails.find(([pattern]) => pattern.test(method));
  return entry ? entry[1] : 'card';
}

const rails: readonly (readonly [RegExp, Rail])[] = [
  [/^sepa/i, 'sepa'],
  [/^ach/i, 'ach'],
  [/^pix/i, 'pix'],
  [/^upi/i, 'upi'],
  [/^(?:paypal|alipay|wechatpay|klarna|vipps|mobilepay|swish|twint|cashapp|gcash)/i, 'wallet'],
  [/^(?:ideal|bankTransfer|directEbanking|trustly|giropay|eps|onlineBanking|open_banking|multibanco|boleto)/i, 'other'],
];
