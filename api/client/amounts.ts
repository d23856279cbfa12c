import type { SentEvent } from './event_buffer.ts';

/** A currency by its ISO 4217 code. */
export type Currency = CurrencyOf<SentEvent['payment']['amount']>;
type CurrencyOf<A> = A extends unknown ? ('currency' extends keyof A ? NonNullable<A['currency']> : never) : never;

/** An amount in the minor units of a currency (ISO 4217), from decimal text: `minor('12.50', 'EUR')`. Throws RangeError. */
export function minor(decimal: string, currency: Currency): { value: string; unit: 'minor'; currency: Currency } {
  // A code in another spelling would get the wrong number of places.
  if (!/^[A-Z]{3}$/.test(currency))
    throw new RangeError(`A currency is three capitals, not ${JSON.stringify(currency)}.`);
  return { value: units(decimal, EXPONENTS[currency] ?? 2, currency), unit: 'minor', currency };
}

/** An amount of a token in atomic units, from decimal text: `atomic('0.001', usdc)`. Throws RangeError. */
export function atomic(decimal: string, asset: Token): { value: string; unit: 'atomic'; asset: Token } {
  return { value: units(decimal, asset.decimals, asset.symbol ?? asset.address), unit: 'atomic', asset };
}

/** A token: its CAIP-2 network (`eip155:8453`), its contract or mint, and its decimal places. */
export type Token = { network: string; address: string; decimals: number; symbol?: string };

/** Currencies whose minor unit is not a hundredth (ISO 4217, list one). */
const EXPONENTS: Record<string, number> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map(code => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map(code => [code, 3])),
  CLF: 4,
  UYW: 4,
};

/** Only digits are moved: the amount never becomes a floating-point number. */
function units(decimal: string, places: number, of: string): string {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  const decimals = fraction.slice(0, places).padEnd(places, '0');
  if (whole === '' || /[1-9]/.test(fraction.slice(places)))
    throw new RangeError(
      `An amount of ${of} is a decimal text of at most ${places} places, not ${JSON.stringify(decimal)}.`,
    );
  return (whole + decimals).replace(/^0+(?=\d)/, '');
}
