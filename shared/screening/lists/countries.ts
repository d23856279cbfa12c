import { isCountry } from '#shared/values/countries.ts';
import { countryCode } from '#shared/values/country_names.ts';

/**
 * The ISO 3166-1 alpha-2 codes that a publisher's country stands for, none where it is not known. A state that broke up, and a
 * territory that two claim, stand for several: a country conflict lowers a score, so the reading is the wide one.
 */
export function countriesOf(text: string): readonly string[] {
  const cached_country = cache.get(text);
  if (cached_country) return cached_country;
  if (text.length > 200) return [];
  const codes = readCountry(text.trim());
  // Lists repeat some three hundred spellings; a file full of others must not fill the memory.
  if (cache.size < MOST_SPELLINGS) cache.set(text, codes);
  return codes;
}

const cache = new Map<string, readonly string[]>();
const MOST_SPELLINGS = 5_000;

function readCountry(text: string): readonly string[] {
  // FollowTheMoney writes territories as `gb-sct`.
  const code = /^([a-z]{2})(?:-[a-z]{2,4})?$/i.exec(text)?.[1];
  const name = plainName(text);
  const own = spellings.get(name);
  if (own) return own;
  if (code) return codeOf(code.toUpperCase());
  for (const variant of variantsOf(name)) {
    const codes = spellings.get(variant) ?? codeOf(countryCode(variant) ?? '');
    if (codes.length > 0) return codes;
  }
  return [];
}

/** In small letters, with `saint` and `and` in full, without accents, `the` and what is said beside the name. */
const plainName = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[’`´]/g, "'")
    .replace(/^(possibly|former|region:|country|the) +/, '')
    .replace(/^st\.? /, 'saint ')
    .replaceAll('&', 'and')
    .replaceAll(/\s+/g, ' ')
    .replace(/[.,\s]+$/, '');

/** `korea, north` as `north korea`; `iran (islamic republic of)` as `iran`; `british virgin islands` as `virgin islands, british`. */
const variantsOf = (name: string) => [
  name,
  name.replace(/^([^,]+), (?:the )?(.+)$/, '$2 $1'),
  name.replace(/^([^,]+), the( .+)?$/, '$1'),
  name.replace(/ *\(.*\)$/, ''),
  name.replace(/^(british) (.+)$/, '$2, $1'),
  name.replace(/ of great britain and northern ireland$/, ''),
  name.replace(/^turkiye$/, 'turkey'),
];

const codeOf = (code: string) => (code === 'XK' ? ['XK', 'RS'] : isCountry(code) ? [code] : []);

/** How publishers write what i18n-iso-countries does not know. */
const spellings = new Map<string, readonly string[]>(
  Object.entries({
    burma: 'MM',
    brunei: 'BN',
    'cabo verde': 'CV',
    'china, hong kong special administrative region': 'HK CN',
    'hong kong sar': 'HK CN',
    'hong kong': 'HK CN',
    macau: 'MO CN',
    macao: 'MO CN',
    congo: 'CG CD',
    'congo, democratic republic of the': 'CD',
    'congo (democratic republic)': 'CD',
    'congo (democratic republic of the)': 'CD',
    'dem. rep. of the congo': 'CD',
    drc: 'CD',
    'congo, republic of the': 'CG',
    'cote d ivoire': 'CI',
    crimea: 'UA RU',
    'crimea and sevastopol': 'UA RU',
    'ua-cri': 'UA RU',
    donetsk: 'UA RU',
    'ua-dpr': 'UA RU',
    luhansk: 'UA RU',
    'ua-lpr': 'UA RU',
    czechoslovakia: 'CZ SK',
    cshh: 'CZ SK',
    dprk: 'KP',
    "democratic people's republic of korea": 'KP',
    "korea (democratic people's republic of)": 'KP',
    'korea (north)': 'KP',
    'korea (south)': 'KR',
    'east timor': 'TL',
    gaza: 'PS',
    'gaza strip': 'PS',
    'west bank': 'PS',
    palestinian: 'PS',
    'palestinian territories': 'PS',
    'occupied palestinian territories': 'PS',
    'occupied palestinian territory': 'PS',
    'u.k': 'GB',
    'u.s.a': 'US',
    england: 'GB',
    scotland: 'GB',
    'northern ireland': 'GB',
    'german democratic republic': 'DE',
    ddde: 'DE',
    kosovo: 'XK RS',
    laos: 'LA',
    'kafia kingi': 'SD SS',
    'northern mali': 'ML',
    macedonia: 'MK',
    'north macedonia, the republic of': 'MK',
    micronesia: 'FM',
    moldova: 'MD',
    'netherlands antilles': 'CW SX BQ NL',
    'serbia and montenegro': 'RS ME',
    csxx: 'RS ME',
    yugoslavia: 'RS ME HR SI BA MK',
    yucs: 'RS ME HR SI BA MK',
    swaziland: 'SZ',
    syria: 'SY',
    ussr: 'RU UA BY UZ KZ GE AZ LT MD LV KG TJ AM TM EE',
    suhh: 'RU UA BY UZ KZ GE AZ LT MD LV KG TJ AM TM EE',
    'soviet union': 'RU UA BY UZ KZ GE AZ LT MD LV KG TJ AM TM EE',
    'union of soviet socialist republics': 'RU UA BY UZ KZ GE AZ LT MD LV KG TJ AM TM EE',
    'vatican city': 'VA',
    'viet nam': 'VN',
    'virgin islands, us': 'VI',
    'western sahara': 'EH MA',
  }).map(([name, codes]) => [name, codes.split(' ')]),
);
