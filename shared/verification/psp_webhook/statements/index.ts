import { notificationItems } from '#shared/verification/psp_webhook/schemes/adyen.ts';
import type { PspStatement } from '#shared/verification/psp_webhook/statement.ts';
import type { WebhookSecret } from '#shared/verification/verifier.ts';
import { readAdyenItem } from './adyen.ts';
import { readCommon } from './common.ts';
import { readStripe } from './stripe.ts';

/** What a body says of one payment. `object` is what says it: the body, or one of the notifications in a body of Adyen's. */
export type Notice = { by: 'stripe' | 'adyen' | 'other'; object: Record<string, unknown>; said: PspStatement };

/** The notices in a body. By its shape, not by the scheme of its signature: a gateway may sign what it passes on. */
export function readNotices(body: Record<string, unknown>, scheme: WebhookSecret['scheme'] | null): Notice[] {
  const items = notificationItems(body);
  if (items) return items.map(item => ({ by: 'adyen', object: item, said: readAdyenItem(item, body['live']) }));
  if (body['object'] === 'event' || scheme === 'stripe')
    return [{ by: 'stripe', object: body, said: readStripe(body) }];
  return [{ by: 'other', object: body, said: readCommon(body, scheme === 'adyen' ? 'adyen' : 'other') }];
}
