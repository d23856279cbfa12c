// Without the names in eighty other languages, which the package's main file reads.
import countries from 'i18n-iso-countries/index.js';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

countries.registerLocale(english);

/** The ISO 3166-1 alpha-2 code of a country by one of its English names, in any case; undefined where none is called so. */
export const countryCode = (name: string): string | undefined => countries.getAlpha2Code(name, 'en');

/** Whether a text in lower case is an English name of a country, one that `countryCode` knows. */
export const isCountryName = (text: string): boolean => names.has(text);

const names = new Set(
  Object.values(countries.getNames('en', { select: 'all' }))
    .flat()
    .map(name => name.toLowerCase()),
);
