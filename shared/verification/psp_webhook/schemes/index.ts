import type { Scheme } from '#shared/verification/psp_webhook/scheme.ts';
import type { WebhookSecret } from '#shared/verification/verifier.ts';
import { adyenScheme } from './adyen.ts';
import { genericScheme } from './generic.ts';
import { standardWebhooksScheme } from './standard_webhooks.ts';
import { stripeScheme } from './stripe.ts';

/** The ways in which payment services sign. */
export const schemes: Record<WebhookSecret['scheme'], Scheme> = {
  stripe: stripeScheme,
  standard_webhooks: standardWebhooksScheme,
  adyen: adyenScheme,
  generic: genericScheme,
};
