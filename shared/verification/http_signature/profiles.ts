import type { HeaderFields } from './header_fields.ts';
import type { SignatureInput } from './signature_fields.ts';

/**
 * What signatures with a tag must cover. `web-bot-auth`: draft-ietf-webbotauth-httpsig-protocol (authority or target URI, and
 * Signature-Agent if sent). `agent-browser-auth` and `agent-payer-auth`: Visa's Trusted Agent Protocol (authority and path, a nonce, and at
 * most eight minutes of validity, which its own examples exceed: reported, not refused).
 */
type Profile = {
  parameters: readonly string[];
  missing(input: SignatureInput, fields: HeaderFields): string | null;
};

/** By tag; no other tag is accepted. */
export const profiles: ReadonlyMap<string, Profile> = new Map([
  ['web-bot-auth', { parameters: ['keyid', 'created', 'expires'], missing: missingForWebBotAuth }],
  ['agent-browser-auth', { parameters: ['keyid', 'created', 'expires', 'nonce'], missing: missingForTrustedAgent }],
  ['agent-payer-auth', { parameters: ['keyid', 'created', 'expires', 'nonce'], missing: missingForTrustedAgent }],
]);

function missingForWebBotAuth(input: SignatureInput, fields: HeaderFields): string | null {
  if (!covers(input, '@authority') && !covers(input, '@target-uri')) return '@authority or @target-uri';
  return fields.has('signature-agent') && !covers(input, 'signature-agent') ? 'signature-agent' : null;
}

function missingForTrustedAgent(input: SignatureInput): string | null {
  if (covers(input, '@target-uri')) return null;
  if (!covers(input, '@authority')) return '@authority';
  return covers(input, '@path') || covers(input, '@request-target') ? null : '@path';
}

/** Whether a component is covered, whatever its parameters: `"signature-agent";key="sig1"` covers signature-agent. */
export const covers = ({ components }: SignatureInput, name: string): boolean =>
  components.some(component => component.name === name);
