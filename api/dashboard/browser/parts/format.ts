import type { Amount } from '#shared/events/log/events.ts';
import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { currencyText, shifted } from '#shared/values/money.ts';
import { zonesText } from '#shared/values/time.ts';

/** The interface is in English, and so is how it writes numbers and times; the time zone is the reader's. */
const locale = 'en-US';

/** An amount as people read it, in its own unit and to its last digit: `$12.50`, `0.001 USDC`. Never through a float. */
export function amountText({ value, unit, currency, asset }: Amount): string {
  if (unit === 'minor' && currency) return currencyText(value, currency);
  if (!asset) return `${grouped(value)} atomic units`;
  const known = assetByKey(assetKey(asset.network, asset.address));
  if (known) return `${grouped(shifted(value, known.decimals))} ${known.symbol}`;
  // Anybody can call a token USDC: of one that is not known here, the address says which it is.
  const name = asset.symbol ? `${asset.symbol} (${shortened(asset.address)})` : shortened(asset.address);
  return asset.decimals === undefined
    ? `${grouped(value)} atomic units of ${name}`
    : `${grouped(shifted(value, asset.decimals))} ${name}`;
}

/**
 * A number as a constraint of a mandate gives it – minor units of its currency, with a fraction where there are parts of one, or atomic
 * units of its asset – as an amount. What is no number, and what is not in money, stays as it is.
 */
export function limitText(value: string, terms: { currency?: unknown; asset?: unknown } | undefined): string {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(value)) return zonesText(value);
  if (typeof terms?.currency === 'string') return currencyText(value, terms.currency);
  const { network, address } = (terms?.asset ?? {}) as { network?: unknown; address?: unknown };
  if (typeof network !== 'string' || typeof address !== 'string') return value;
  return amountText({ value: value.split('.')[0] ?? '', unit: 'atomic', asset: { network, address } });
}

/** US cents, as text, as dollars: `$1,234.50`. */
export const usdText = (cents: string): string => currencyText(cents, 'USD');

/** US cents that were added up for a chart, as dollars. */
export const usdSum = (cents: number): string => usdText(String(BigInt(Math.round(cents))));

/** US cents, as text, where there is little room: `$1.2K`. */
export const usdShort = (cents: number): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    notation: 'compact',
    maximumFractionDigits: 1,
  }).format(cents / 100);

/** 100 fraction digits are the most that Intl takes; assets have at most 77. */
function grouped(value: string): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 77 }).format(value as Intl.StringNumericLiteral);
}

export const countText = (count: number): string => new Intl.NumberFormat(locale).format(count);

/** 0 to 1 as a percentage. */
export const percentText = (share: number, digits = 0): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits }).format(share);

export function bytesText(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const style = {
    style: 'unit',
    unit: units[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(locale, style).format(bytes / 1_000 ** step);
}

/** In the reader's zone: `Nov 22, 2026, 9:41:07 AM`. */
export const timeText = (at: string): string => local.format(new Date(at));
/** `Nov 22, 9:41 AM`, for axes and the like. */
export const shortTime = (at: string | number): string => short.format(new Date(at));
/** `Nov 22, 9:41:07 AM`, for rows: several events in a minute are the rule. */
export const rowTime = (at: string): string => row.format(new Date(at));
export const dayText = (at: string | number): string => day.format(new Date(at));

/** On the axis of a chart: `9 AM`, and at midnight the day, `Nov 22`. */
export function axisTime(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return (time.getHours() === 0 && time.getMinutes() === 0 ? axisDay : axisHour).format(time);
}

/**
 * Where a day (UTC) stands on an axis that is in the reader's zone, in seconds: at its own midnight there, so that it keeps its date
 * west of Greenwich too.
 */
export const dayTime = (at: string): number => Date.parse(`${at.slice(0, 10)}T00:00:00`) / 1_000;

const local = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const row = new Intl.DateTimeFormat(locale, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
const axisDay = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' });
const axisHour = new Intl.DateTimeFormat(locale, { hour: 'numeric' });
const day = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric' });

/** The times in a text of the service, which are in UTC, in the reader's zone: `2026-11-20 12:00:05 UTC`, RFC 3339, and days after “on”; and zones as people say them. */
export const localTimes = (text: string): string =>
  zonesText(text)
    .replaceAll(
      /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) to (?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d:\d\d) UTC/g,
      (_, day: string, first: string, lastDay: string | undefined, last: string) =>
        `${timeText(`${day}T${first}Z`)} to ${timeText(`${lastDay ?? day}T${last}Z`)}`,
    )
    .replaceAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g, (_, day: string, time: string) =>
      timeText(`${day}T${time}Z`),
    )
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, timeText)
    .replaceAll(/\bon (\d{4}-\d\d-\d\d)\b/g, (_, day: string) => `on ${utcDay.format(new Date(day))}`);

const utcDay = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });

/** How long ago, or until when: `3m ago`, `in 2d`. */
export function agoText(at: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  if (Math.abs(seconds) < 5) return 'just now';
  const [unit, length] = spans.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

const spans: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat(locale, { style: 'narrow' });

/** A word of the API as words for people: `new_payee_high_amount`, `payment.amount_range` → `New payee high amount`, `Amount range`. */
export function wordsOf(name: string): string {
  const words = name
    .replace(/^payment\./, '')
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/[a-z0-9]+/gi, word => spelled.get(word) ?? word);
  return words.startsWith('x402') ? words : capitalized(words);
}

export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Words that are not written as other words are. */
const spelled = new Map(
  ['ACH', 'ACP', 'AP2', 'API', 'FPS', 'ID', 'KYAPay', 'MCP', 'PIX', 'PSP', 'RTP', 'SDK', 'SEPA', 'UPI', 'URL']
    .map(word => [word.toLowerCase(), word] as const)
    .concat([
      ['eip712', 'EIP-712'],
      ['kya', 'KYA'],
    ]),
);

/** ISO 3166-1 alpha-2 as the name of the country. */
export const countryText = (code: string): string => regions.of(code) ?? code;
const regions = new Intl.DisplayNames([locale], { type: 'region' });

/** The ends of something long: `evt_01M7…5DSM`. */
export const shortened = (text: string): string => (text.length > 18 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text);

/** How a sum compares with that of as long a time before, `before`. */
export function comparedText(now: number, former: number, show: (value: number) => string, before: string): string {
  if (former === 0) return `None in the ${before}`;
  if (former === now) return `Same as the ${before}`;
  // Of a few, the number says more than a percentage of it.
  if (former < 20) return `${show(former)} in the ${before}`;
  if (now >= 2 * former) return `${countText(Math.round((10 * now) / former) / 10)}× the ${before}`;
  return `${now > former ? '+' : '−'}${percentText(Math.abs(now - former) / former)} vs. ${before}`;
}

/** A payee's key in a list: a host or a merchant as it is, a longer address by its ends, `eip155:8453:0x833589f…bdA029`. */
export const keyText = (key: string): string => (key.length > 40 ? `${key.slice(0, 22)}…${key.slice(-6)}` : key);
