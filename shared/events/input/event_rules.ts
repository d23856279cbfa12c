import { canonicalJson, NotCanonical } from '#shared/json/canonical_json.ts';
import { isCountry } from '#shared/values/countries.ts';
import { statusesOfType } from '#shared/values/event_types.ts';
import { hasScheme, isBareEvmAddress, parsePayeeKey } from '#shared/values/payee_key.ts';
import { parseRfc3339 } from '#shared/values/rfc3339.ts';
import { isErasedKey } from './erased_input.ts';
import type { EventInput } from './event_input.ts';
import type { ReportIssue } from '#shared/json/issues.ts';

/** Rules for events beyond their schema; each reports what breaks it. */
export function checkParties(event: EventInput, report: ReportIssue): void {
  for (const party of ['agent', 'owner'] as const) {
    const id = event[`${party}_id`];
    if (id !== undefined && event[party] !== undefined)
      report(`/${party}`, 'not_allowed', `must be left out beside ${party}_id; send one of the two`);
    if (id === undefined && event[party] === undefined)
      report(`/${party}_id`, 'required', `is required, or ${party} with your own id of it`);
  }
}

export function checkStatus(event: EventInput, report: ReportIssue): void {
  const allowed = statusesOfType[event.type];
  if (allowed.includes(event.payment.status)) return;
  report('/payment/status', 'status_not_allowed', `must be ${allowed.join(' or ')} in an event of type ${event.type}`);
}

const AHEAD_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

/** The moment in UTC with milliseconds, or null when it was reported. */
export function checkTime(text: string, now: number, max_age_days: number, report: ReportIssue): string | null {
  const moment = parseRfc3339(text);
  if (!moment.ok) {
    report('/occurred_at', 'invalid_format', moment.expected);
    return null;
  }
  if (moment.value > now + AHEAD_MS) {
    report(
      '/occurred_at',
      'too_far_ahead',
      `must be at most 5 minutes ahead of the server's clock, which says ${new Date(now).toISOString()}`,
    );
    return null;
  }
  if (moment.value < now - max_age_days * DAY_MS) {
    report('/occurred_at', 'too_old', `must be at most ${max_age_days} days old`);
    return null;
  }
  return new Date(moment.value).toISOString();
}

/**
 * The canonical payee key, or null when it was reported; a bare EVM address is on the asset's chain. Warns of a key without meaning. Only
 * an event that was read may have an erased payee's key.
 */
export function checkPayeeKey(
  text: string,
  { network, was_read }: { network: string | null; was_read: boolean },
  report: ReportIssue,
  warn: ReportIssue,
): string | null {
  const key = parsePayeeKey(text, network);
  if (!key.ok) {
    report('/payment/payee/key', 'invalid_format', key.expected);
    return null;
  }
  if (!was_read && isErasedKey(key.value)) {
    report('/payment/payee/key', 'not_allowed', `must not begin with erased:, ${ERASED_KEYS}`);
    return null;
  }
  if (!hasScheme(key.value)) warn('/payment/payee/key', 'no_scheme', isBareEvmAddress(key.value) ? noChain : freeText);
  return key.value;
}

/** Why no payee can be paid by such a key. */
export const ERASED_KEYS = 'which is what the service calls payees whose data was erased';

const freeText =
  'says by no scheme what it names, so it is taken as it is and compared exactly; where there is an account, a domain or an IBAN send that: ' +
  'eip155:<chain id>:<address>, solana:<genesis>:<address>, domain:<host>, iban:<IBAN>, account:<scheme>:<id>, merchant:<psp>:<id> or agent:<id>';
const noChain =
  'is an EVM address without a chain, or with a wrong EIP-55 checksum, so it is taken as a text and compared exactly; send eip155:<chain id>:<address>';

export function checkCountries(event: EventInput, report: ReportIssue): void {
  const places = [
    ['/owner/country', event.owner?.country],
    ['/payment/payee/country', event.payment.payee.country],
  ] as const;
  for (const [path, country] of places) {
    if (country !== undefined && !isCountry(country))
      report(path, 'unknown_country', 'must be an assigned ISO 3166-1 alpha-2 code, such as DE');
  }
}

// A link a reader might click must not run or hide anything.
const refusedSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);

export function checkResourceUrl(text: string | undefined, report: ReportIssue): void {
  if (text === undefined) return;
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (!url)
    return report(
      '/resource_url',
      'invalid_format',
      'must be an absolute URL, such as https://api.example.com/v1/weather',
    );
  if (refusedSchemes.has(url.protocol))
    report('/resource_url', 'not_allowed', 'must name a resource; use https, mcp or another fetchable scheme');
  if (url.username || url.password)
    report('/resource_url', 'not_allowed', 'must not hold a user name or password; remove what stands before the @');
}

const MAX_METADATA_MEMBERS = 50;
const MAX_METADATA_BYTES = 16_384;

export function checkMetadata(metadata: EventInput['metadata'], report: ReportIssue): void {
  if (metadata === undefined) return;
  const text = plainJson(metadata);
  if (text === null) return report('/metadata', 'invalid_value', plainJsonExpected);
  const members = Object.keys(metadata).length;
  if (members > MAX_METADATA_MEMBERS)
    report('/metadata', 'too_long', `must have at most ${MAX_METADATA_MEMBERS} members, not ${members}`);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_METADATA_BYTES)
    report('/metadata', 'too_long', `must be at most 16 KB (${MAX_METADATA_BYTES} bytes), not ${bytes} bytes`);
}

/** Canonical text of free data, or null if it has something that a database or another reader cannot hold. */
export function plainJson(value: unknown): string | null {
  try {
    const text = canonicalJson(value);
    // An escaped NUL, but not an escaped backslash before the letters u0000.
    return text.includes('\\u0000') && /(?<!\\)(?:\\\\)*\\u0000/.test(text) ? null : text;
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}

export const plainJsonExpected = 'must be plain JSON: whole Unicode characters, no NULs, finite numbers';
