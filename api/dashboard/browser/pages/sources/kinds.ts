import type { Source } from '#shared/keys/sources.ts';

/** The kinds of source, in words. */
export const kinds: readonly (readonly [Source['kind'], string])[] = [
  ['sdk', 'An agent’s server'],
  ['psp_webhook', 'Webhooks of a payment service'],
  ['facilitator', 'An x402 facilitator'],
  ['mcp_proxy', 'An MCP proxy'],
  ['import', 'An import'],
  ['other', 'Something else'],
];

export const kindName = (kind: Source['kind']): string => kinds.find(([name]) => name === kind)?.[1] ?? kind;

export const schemes = [
  ['stripe', 'Stripe'],
  ['standard_webhooks', 'Standard Webhooks'],
  ['adyen', 'Adyen'],
  ['generic', 'Another, set by hand'],
] as const;
