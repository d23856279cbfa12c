import type { Source } from '#shared/keys/sources.ts';

/** The kinds of source, in words. */
export const kinds: readonly (readonly [Source['kind'], string])[] = [
  ['sdk', 'Agent server'],
  ['psp_webhook', 'Payment service webhooks'],
  ['facilitator', 'x402 facilitator'],
  ['mcp_proxy', 'MCP proxy'],
  ['import', 'Import'],
  ['other', 'Other'],
];

export const kindName = (kind: Source['kind']): string => kinds.find(([name]) => name === kind)?.[1] ?? kind;

export const schemes = [
  ['stripe', 'Stripe'],
  ['standard_webhooks', 'Standard Webhooks'],
  ['adyen', 'Adyen'],
  ['generic', 'Custom'],
] as const;
