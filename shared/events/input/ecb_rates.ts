import { SaxesParser } from 'saxes';
import { invalidRequest } from '#shared/interface/errors.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { divideHalfUp, shifted, smallestUnits } from '#shared/values/money.ts';
import { timestamp } from '#shared/values/time.ts';
import type { FxRate } from './fx_rate.ts';

/**
 * The European Central Bank's euro reference rates as rates in US dollars: it publishes how many units of a currency one euro is worth, so
 * a unit is worth the dollars of a euro divided by the units of a euro, on that day. Files:
 * https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates. Days without a dollar rate, former currencies,
 * and values that `FxRate` does not allow are left out.
 */
export function readEcbXml(text: string): FxRate[] {
  const rates: FxRate[] = [];
  const parser = new SaxesParser({ xmlns: false });
  let day = '';
  let units = new Map<string, string>();
  const endDay = () => {
    rates.push(...inDollars(day, units));
    units = new Map();
  };
  parser.on('error', error => {
    throw invalidRequest(`The file is not well-formed XML: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw invalidRequest('The file has a DOCTYPE declaration, which no file of rates has.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (name !== 'Cube') return;
    const { time, currency, rate } = attributes;
    if (time !== undefined) {
      endDay();
      day = time;
    }
    if (currency !== undefined && rate !== undefined) units.set(currency, rate);
  });
  parser.write(text).close();
  endDay();
  return rates;
}

/** The same for a row of its CSV: one row per day, one column per currency, `N/A` without a rate. */
export const readEcbRow = (row: ReadonlyMap<string, string>): FxRate[] => inDollars(dayOf(row.get('Date') ?? ''), row);

/** The file of one day writes `13 April 2026`, that of all days `2026-04-13`. */
function dayOf(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/.exec(text) ?? [];
  const number = months.indexOf(month) + 1;
  return number === 0 ? text : `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const months = 'January February March April May June July August September October November December'.split(' ');

/** Decimals of the rates read, and of the rates computed from them. */
const READ_PLACES = 12;
const PLACES = 15;
/** `FxRate` allows twelve whole digits. */
const MOST_WORTH = 10n ** BigInt(12 + PLACES);

function inDollars(date: string, unitsOfEuro: ReadonlyMap<string, string>): FxRate[] {
  const dollars = unitsOf(unitsOfEuro.get('USD'));
  if (dollars === null || !isDay(date)) return [];
  const all: [string, bigint | null][] = [
    ['EUR', 10n ** BigInt(READ_PLACES)],
    ...[...unitsOfEuro].map(([currency, text]): [string, bigint | null] => [currency, unitsOf(text)]),
  ];
  return all.flatMap(([currency, units]) => {
    if (currency === 'USD' || units === null || minorUnitExponent(currency) === null) return [];
    const worth = divideHalfUp(dollars * 10n ** BigInt(PLACES), units);
    const isRate = worth > 0n && worth < MOST_WORTH;
    return isRate ? [{ date, currency, usd_per_unit: shifted(worth.toString(), PLACES) }] : [];
  });
}

/** Whether the date exists. */
function isDay(date: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  return !Number.isNaN(time) && timestamp(time).startsWith(date);
}

/** A rate above zero in its smallest units, or null. */
function unitsOf(text: string | undefined): bigint | null {
  const units = text === undefined ? null : smallestUnits(text, READ_PLACES);
  return units === 0n ? null : units;
}
