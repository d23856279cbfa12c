import type { PspConfig } from '#shared/keys/psp_config.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { findAsset } from '#shared/values/assets.ts';
import { smallestUnits } from '#shared/values/money.ts';
import { hasScheme, isBareEvmAddress, parsePayeeKey } from '#shared/values/payee_key.ts';
import { parseRfc3339 } from '#shared/values/rfc3339.ts';
import { SECOND } from '#shared/values/time.ts';
import type { JsonObject } from '#shared/verification/json.ts';
import { currencyCode, fromDecimal, isoMinor, type Psp, wholeNumber } from './psp_amount.ts';
import type { PspStatement } from './statement.ts';

/** Where the members of a body are that a source's `psp_config` names. */
export type Mapping = NonNullable<PspConfig['mapping']>;
type Place = string | { pointer: string; values?: Record<string, string> | undefined } | { value: string };

/** A value that is not among the mapping's `values`. */
export const IGNORED = '\0';

export const placeOf = (place: Mapping[keyof Mapping]): string | undefined =>
  typeof place === 'string' ? place : place && 'pointer' in place ? place.pointer : undefined;

/** The text at a place; null when there is none, `IGNORED` where its meaning is not among the `values`. */
export function textAt(object: JsonObject, place: Place | undefined): string | null {
  if (place === undefined) return null;
  if (typeof place === 'object' && 'value' in place) return place.value;
  const { pointer, values = undefined } = typeof place === 'string' ? { pointer: place } : place;
  const value = valueAt(object, pointer);
  const text = typeof value === 'boolean' || typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return null;
  if (!values) return text;
  return Object.hasOwn(values, text) ? (values[text] ?? IGNORED) : IGNORED;
}

/** The value at an RFC 6901 pointer; undefined when there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** A complete payee key stays as it is; any other text is a merchant's id at the service, if valid. */
export function payeeKeyOf(payee: string, service: string): string {
  const parsed = parsePayeeKey(payee);
  if (isBareEvmAddress(payee) || (parsed.ok && hasScheme(parsed.value))) return payee;
  const merchant = `merchant:${service}:${payee}`;
  return parsePayeeKey(merchant).ok ? merchant : payee;
}

type Wrong = (name: keyof Mapping, message: string) => null;

/** An amount in a currency or a token. Null when the mapping has neither an amount nor its unit, or it cannot be read. */
export function amountAt(
  object: JsonObject,
  mapping: Mapping,
  said: PspStatement,
  psp: Psp,
  wrong: Wrong,
): EventInput['payment']['amount'] | null {
  const { amount: place, asset, network, currency } = mapping;
  if (place === undefined && currency === undefined && asset === undefined) return null;
  const pointer = placeOf(place);
  const value = pointer === undefined ? said.amounts[0]?.toString() : valueAt(object, pointer);
  if (value === undefined || value === null) return null;
  const as = typeof place === 'object' && 'as' in place ? place.as : null;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^-?[0-9]{1,78}(?:\.[0-9]{1,78})?$/.test(text))
    return wrong('amount', 'is no number');
  const unsigned = text.replace('-', '');
  const digits = as === 'minor' ? unsigned.replace(/\.0+$/, '') : unsigned;
  const isDecimal = as === 'decimal' || (as === null && digits.includes('.'));
  if (asset !== undefined) {
    const token = { network: textAt(object, network) ?? '', address: textAt(object, asset) ?? '' };
    const registered = findAsset(token.network, token.address);
    if (isDecimal && !registered)
      return wrong('asset', 'is not in the registry, so a decimal amount of it cannot be counted');
    const units = isDecimal ? smallestUnits(digits, registered?.decimals ?? 0) : wholeDigits(digits);
    return units === null
      ? wrong('amount', 'is no whole number of the smallest unit')
      : { value: String(units), unit: 'atomic', asset: token };
  }
  const code = currency === undefined ? said.currency : currencyCode(textAt(object, currency));
  if (code === null) return wrong('currency', 'is no ISO 4217 code');
  // The service's own amounts were converted to minor units before.
  const own = pointer === undefined ? 'other' : psp;
  const units = isDecimal
    ? fromDecimal(digits, code)
    : wholeNumber(digits) === null
      ? null
      : isoMinor(own, digits, code);
  return units === null
    ? wrong('amount', `is no whole number of minor units of ${code}`)
    : { value: String(units), unit: 'minor', currency: code };
}

const wholeDigits = (digits: string): bigint | null => (digits.includes('.') ? null : BigInt(digits));

/** Milliseconds since 1970 from RFC 3339, seconds or milliseconds. */
export function timeOf(text: string | null, wrong: (message: string) => null): number | null {
  if (text === null || text === IGNORED) return null;
  if (/^[0-9]{1,11}$/.test(text)) return Number(text) * SECOND;
  if (/^[0-9]{12,14}$/.test(text)) return Number(text);
  const time = text.length > 64 ? null : parseRfc3339(text);
  return time?.ok ? time.value : wrong('is neither RFC 3339 nor seconds or milliseconds since 1970');
}
