import { PspConfig } from '#shared/keys/psp_config.ts';
import { EventType } from '#shared/values/event_types.ts';
import type { WebhookSecret } from '#shared/verification/verifier.ts';
import { amountAt, IGNORED, payeeKeyOf, textAt, timeOf } from './mapping.ts';
import type { PspStatement } from './statement.ts';
import type { Notice } from '#shared/verification/psp_webhook/statements/index.ts';

/**
 * What a notice says by the mapping of its source (`psp_config.mapping`), where that names members, else by their usual names. An event that was made
 * of it is borne out by the same members.
 */
export function mappedStatement({ by, object, said }: Notice, secret: WebhookSecret | null): PspStatement {
  const { mapping, service } = PspConfig.safeParse(secret?.config ?? {}).data ?? {};
  if (!secret || !mapping) return said;
  const text = (name: Exclude<keyof typeof mapping, 'amount'>) => {
    const mapped = textAt(object, mapping[name]);
    return mapped === IGNORED ? null : mapped;
  };
  const [payment_id, payee] = [text('payment_id'), text('payee')];
  const type = EventType.safeParse(text('type')).data;
  const psp = by === 'other' && secret.scheme === 'adyen' ? 'adyen' : by;
  const amount = amountAt(object, mapping, said, psp, () => null);
  const merchant = payee && merchantOf(payeeKeyOf(payee, service ?? (by === 'other' ? secret.scheme : by)));
  return {
    ...said,
    notice: text('event_id') ?? said.notice,
    happened_at: timeOf(text('occurred_at'), () => null) ?? said.happened_at,
    ...(payment_id !== null && { references: [payment_id] }),
    ...(amount && 'currency' in amount && { amounts: [BigInt(amount.value)], currency: amount.currency }),
    ...(type && { types: [type] }),
    ...(merchant && { merchants: [merchant] }),
  };
}

const merchantOf = (key: string): string | undefined => /^merchant:[^:]+:(.+)$/.exec(key)?.[1];
