import { WebAddress } from '#shared/mandates/constraint_fields.ts';
import { allowed, allowedWords, listSchema } from './list.ts';

/** Compared as normalized URLs, so that case, escapes and dots in the path are no way around it. */
export const allowedResources = {
  schema: () => listSchema('payment.allowed_resources', 'prefixes', WebAddress, ['https://api.example.com/']),
  rule: ({ prefixes }: { prefixes: readonly string[] }) =>
    allowed({
      code: 'resource_not_allowed',
      unknown: 'resource_unknown',
      read: event => event.resource_url,
      has(address) {
        const href = URL.parse(address)?.href;
        return href !== undefined && prefixes.some(prefix => href.startsWith(prefix));
      },
      values: prefixes,
    }),
};

export const allowedResourcesWords = allowedWords({
  type: 'payment.allowed_resources',
  name: 'Allowed resources',
  limit: 'only for resources under',
  thing: 'resource',
  field: {
    name: 'prefixes',
    label: 'URL prefixes',
    as: 'lines',
    hint: 'One per line, such as https://api.example.com/',
  },
});
