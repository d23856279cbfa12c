import { Network } from '#shared/mandates/constraint_fields.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { allowed, allowedWords, among, listSchema } from './list.ts';

/** A payment on no network is on none that is allowed. */
export const allowedNetworks = {
  schema: () => listSchema('payment.allowed_networks', 'values', Network, ['eip155:8453']),
  rule: ({ values }: { values: readonly string[] }) =>
    allowed({ code: 'network_not_allowed', read: networkOf, has: among(values), values }),
};

export const allowedNetworksWords = allowedWords({
  type: 'payment.allowed_networks',
  name: 'Allowed networks',
  limit: 'only on these networks',
  thing: 'network',
  field: { name: 'values', label: 'Networks', as: 'list', hint: 'CAIP-2 IDs, such as eip155:8453.' },
});

/** The network of the token; for a payment not in tokens, that of the payee's account (a CAIP-10 key). */
const networkOf = ({ amount, payee }: ReportedEvent): string | null =>
  amount.asset?.network ??
  /^(?!iban:|merchant:|agent:)([-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}):/.exec(payee.key)?.[1] ??
  null;
