import { SECOND } from '#shared/values/time.ts';
import { headerOf } from '#shared/verification/psp_webhook/delivery.ts';
import { fail, headerMissing, isSigned, open, pass, type Scheme } from '#shared/verification/psp_webhook/scheme.ts';

/**
 * `Stripe-Signature: t=<seconds>,v1=<hex>[,v1=…]`: HMAC-SHA256 of `<t>.<body>`, keyed with the whole secret (`whsec_…`) as text.
 * `v0` is of test tools and counts for nothing. Source: docs.stripe.com/webhooks, "Verify webhook signatures manually".
 */
export const stripeScheme: Scheme = (delivery, { secret }) => {
  const header = headerOf(delivery, 'stripe-signature');
  if (header === null) return headerMissing('Stripe-Signature');
  const parts = header.split(',').map(part => part.trim());
  const valuesOf = (name: string) =>
    parts.flatMap(part => (part.startsWith(`${name}=`) ? part.slice(name.length + 1) : []));
  const [time, ...more] = valuesOf('t');
  const signatures = valuesOf('v1');
  if (time === undefined || more.length > 0 || !/^[0-9]{1,12}$/.test(time) || signatures.length === 0)
    return fail('malformed', 'Stripe-Signature needs one t and at least one v1');
  if (delivery.raw === null)
    return open('body_not_raw', 'the body was kept as an object; its bytes are what is signed');
  return isSigned({ algorithm: 'sha256', key: secret, encoding: 'hex' }, `${time}.${delivery.raw}`, signatures)
    ? pass(Number(time) * SECOND, null)
    : fail('signature_mismatch');
};
