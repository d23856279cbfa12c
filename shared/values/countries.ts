/** Whether a code is an officially assigned ISO 3166-1 alpha-2 country code (upper case). */
export const isCountry = (code: string): boolean => countries.has(code);

/** The English name of a country, as people say it. */
export function countryName(code: string): string {
  const common = commonNames[code];
  if (common) return common;
  // Made when a name is needed: it takes 20 ms, which no start has to wait for.
  names ??= new Intl.DisplayNames('en', { type: 'region' });
  return names.of(code) ?? code;
}

/** The same in a sentence, after “in” or “to”: `the Netherlands`. */
export const countryInText = (code: string): string =>
  withArticle.has(code) ? `the ${countryName(code)}` : countryName(code);

/** Of these the CLDR has the name that their governments agreed upon. */
const commonNames: Record<string, string> = { HK: 'Hong Kong', MO: 'Macao' };
const withArticle = new Set('AE BS CC CF CK DO FK FO GB GM IO KM KY MH MP MV NL PH SB SC TC TF UM US VG VI'.split(' '));

let names: Intl.DisplayNames | undefined;

/** The 249 officially assigned ISO 3166-1 alpha-2 codes. */
export const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
   CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
   GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
   KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
   NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
   SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
   VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);
