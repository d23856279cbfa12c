/** Decimal places of a currency's minor unit (ISO 4217), or null when the code is not an active currency with one. */
export const minorUnitExponent = (currency: string): number | null => currencies.get(currency) ?? null;

/**
 * ISO 4217 codes by the exponent of their minor unit (list one, published 2026-01). Codes without a minor unit (metals,
 * XDR, testing) are absent: an amount in minor units cannot be given in them. BGN ended with 2025 and stays for
 * payments of that time.
 */
const codesByExponent: [number, string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
     CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR
     ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV
     MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD
     SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const currencies = new Map(
  codesByExponent.flatMap(([exponent, codes]) => codes.split(/\s+/).map(code => [code, exponent] as const)),
);

/** The codes of currencies with a minor unit, by the alphabet. */
export const currencyCodes: readonly string[] = [...currencies.keys()].toSorted();
