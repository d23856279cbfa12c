import { findAsset } from '#shared/values/assets.ts';
import { countries, countryName, isCountry } from '#shared/values/countries.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { parseDomainName } from '#shared/values/domain_name.ts';
import { eventTypes, type EventType, statusesOfType } from '#shared/values/event_types.ts';
import { nearest } from '#shared/values/nearest.ts';
import { normalizeNetwork, x402Networks } from '#shared/values/networks.ts';
import { parseRfc3339 } from '#shared/values/rfc3339.ts';

/**
 * What the sender of `sent` at `path` of an event (RFC 6901) most likely meant, in the accepted form; undefined if there is no telling. It
 * is shown in the refusal, never used in its place.
 */
export function correctionOf(event: unknown, path: string, sent: unknown): unknown {
  const correct = corrections[path];
  return correct && (typeof sent === 'string' || typeof sent === 'number')
    ? correct(String(sent).trim(), event)
    : undefined;
}

type Correction = (text: string, event: unknown) => string | undefined;

const corrections: Record<string, Correction> = {
  '/type': text => nearest(text, eventTypes) ?? nearest(`payment.${text}`, eventTypes),
  '/occurred_at': time,
  '/payment/status': status,
  '/payment/amount/value': amount,
  '/payment/amount/unit': (_text, event) => {
    const { currency, asset } = amountOf(event);
    if (currency === undefined) return asset === undefined ? undefined : 'atomic';
    return asset === undefined ? 'minor' : undefined;
  },
  '/payment/amount/currency': currency,
  '/payment/amount/asset/network': network,
  '/payment/payee/key': text => {
    const host = /^domain:/i.test(text) && parseDomainName(URL.parse(text.slice('domain:'.length))?.hostname ?? '');
    return host && host.ok ? `domain:${host.value}` : undefined;
  },
  '/payment/payee/country': country,
  '/owner/country': country,
  '/category': text => (/^\d{1,4}$/.test(text) ? text.padStart(4, '0') : undefined),
  '/instrument/last4': text => /(\d{4})$/.exec(text)?.[1],
  '/resource_url': text => (/^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?:]\S*)?$/i.test(text) ? `https://${text}` : undefined),
};

/** A time in a form that clocks and databases print, as RFC 3339. One without an offset is shown as UTC. */
function time(text: string): string | undefined {
  if (/^\d{10}(?:\d{3})?$/.test(text)) return new Date(Number(text) * (text.length === 10 ? 1_000 : 1)).toISOString();
  if (/ (?:GMT|UTC)$/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?)? ?(?:(Z|UTC)|([+-]\d\d):?(\d\d)?)?$/i.exec(
    text,
  );
  const [, day, minute = '00:00', second = ':00', , hours, minutes = '00'] = parts ?? [];
  const corrected = `${day}T${minute}${second}${hours ? `${hours}:${minutes}` : 'Z'}`;
  return parts && parseRfc3339(corrected).ok ? corrected : undefined;
}

function status(text: string, event: unknown): string | undefined {
  const { type } = event as { type?: unknown };
  const allowed = isType(type) ? statusesOfType[type] : [...new Set(Object.values(statusesOfType).flat())];
  return nearest(text, allowed) ?? (allowed.length === 1 ? allowed[0] : undefined);
}

const isType = (type: unknown): type is EventType => eventTypes.some(event_type => event_type === type);

/** A decimal amount in the minor units of its currency, or the atomic units of its asset. */
function amount(text: string, event: unknown): string | undefined {
  const [, whole = '', fraction = ''] = /^\+?0*(\d{1,60}?)(?:\.(\d{1,60}))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  // A whole number stays as it is: dollars cannot be told from cents.
  if (!text.includes('.')) return whole;
  const places = placesOf(amountOf(event));
  const digits = fraction.replace(/0+$/, '');
  if (places === null || digits.length > places) return undefined;
  return (whole + digits.padEnd(places, '0')).replace(/^0+(?=\d)/, '');
}

type Amount = { currency?: unknown; asset?: unknown };

function amountOf(event: unknown): Amount {
  const { amount } = ((event as { payment?: unknown }).payment ?? {}) as { amount?: unknown };
  return typeof amount === 'object' && amount !== null ? amount : {};
}

function placesOf({ currency: code, asset }: Amount): number | null {
  if (typeof code === 'string') return minorUnitExponent(currency(code) ?? '');
  const { network, address, decimals } = (asset ?? {}) as { network?: unknown; address?: unknown; decimals?: unknown };
  if (typeof network === 'string' && typeof address === 'string')
    return findAsset(network, address)?.decimals ?? (Number.isSafeInteger(decimals) ? Number(decimals) : null);
  return null;
}

function currency(text: string): string | undefined {
  const code = signs[text] ?? text.trim().toUpperCase();
  return minorUnitExponent(code) === null ? undefined : code;
}

const signs: Record<string, string> = {
  $: 'USD',
  US$: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  R$: 'BRL',
};

function country(text: string): string | undefined {
  const code = text.toUpperCase() === 'UK' ? 'GB' : text.toUpperCase();
  return isCountry(code) ? code : [...countries].find(each => countryName(each).toLowerCase() === text.toLowerCase());
}

function network(text: string): string | undefined {
  if (/^[1-9]\d{0,17}$/.test(text)) return `eip155:${text}`;
  return normalizeNetwork(nearest(text, x402Networks.keys()) ?? '') ?? undefined;
}
