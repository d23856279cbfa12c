import type { KeyType } from '#shared/screening/matcher/entry.ts';
import { addAlias, addBirthDate, addCountriesWithin, addCountry, addKey, type Draft } from './draft.ts';
import { isImo } from './identifiers.ts';
import { isProse, isTold } from './ofac_prose.ts';

/**
 * Adds to an entry what OFAC writes in its remarks, `; ` between the items: `DOB 10 Mar 1957`, `nationality Iran`,
 * `Passport A123 (Iran) expires 05 Aug 2020`, `Digital Currency Address - XBT 12Qt…`, `a.k.a. 'X'`. Names in quotes are what
 * OFAC calls weak aliases. Places of birth are no country of the person, and telephone numbers no identifiers.
 * Labels as they occur in the list of 2024; layout: https://ofac.treasury.gov (SDN data specification).
 */
export function addRemarks(entry: Draft, remarks: string) {
  for (const item of itemsOf(remarks)) addItem(entry, item);
}

/** The items of a remark, without the mark that one is an alternative. A semicolon may stand without a space after it. */
export const itemsOf = (remarks: string): string[] =>
  remarks
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '')
    .split(';')
    .flatMap(item => item.trim().replace(/^alt\. /i, '') || []);

/** Adds one item, an OFAC label with its text, and accounts for it. */
export function addItem(entry: Draft, item: string) {
  if (takeItem(entry, item)) return;
  if (isProse(item) || isTold(item)) return entry.account.pass();
  entry.account.miss(labelOf(item), item);
}

/** Adds one item if it is understood; returns whether it is. */
export function takeItem(entry: Draft, item: string): boolean {
  const apply = reading(item);
  apply?.(entry);
  return apply !== null;
}

/** Whether an item explains itself. */
export const isItem = (item: string): boolean => reading(item) !== null || isProse(item) || isTold(item);

const labelOf = (item: string): string => /^[^\d'"“‘(@:]{2,60}/.exec(item)?.[0]?.trim() ?? 'remark';

type Reading = (entry: Draft) => void;

/** How to add an item; null for one without an identifier, name, date or country. */
function reading(item: string): Reading | null {
  if (item.length > LONGEST_ITEM || isProse(item)) return null;
  const [, word = '', rest = ''] = firstWord.exec(item) ?? [];
  if (word === 'DOB') return entry => addBirthDate(entry, rest);
  if (word === 'nationality' || word === 'citizen') return entry => addCountry(entry, rest);
  const alias = /^[afn]\.k\.a\.,? ['"“‘](.+?)['"”’]?$/i.exec(item)?.[1];
  if (alias) return entry => addAlias(entry, alias, true);
  const name = /^(?:Issuer Name|[df]\.b\.a\.|also known as) (.+)$/i.exec(item)?.[1];
  if (name) return entry => addAlias(entry, name);
  const flag = /^(?:Former |Other )?(?:Vessel Flag|Nationality of Registration|Registration Country) (.+)$/.exec(
    item,
  )?.[1];
  if (flag) return entry => addCountry(entry, flag);
  // Of letters alone, which no other number is.
  const [, tail_label = '', tail = ''] = /^((?:Previous )?Aircraft Tail Number) (\S+)/.exec(item) ?? [];
  if (tail) return entry => addKey(entry, 'document', tail, tail_label);
  return onlineReading(item) ?? numberReading(item);
}

/** Items with an identifier are shorter; anything longer is prose. */
const LONGEST_ITEM = 500;
const firstWord = /^(\S+) (.+)$/;

/** Wallets, e-mail addresses, web sites, codes of banks. */
function onlineReading(item: string): Reading | null {
  for (const { pattern, type, named } of online) {
    const match = pattern.exec(item);
    if (!match) continue;
    const [, label, written = ''] = match;
    const value = written.replace(/[.,]+$/, '');
    return entry => {
      addKey(entry, type, value, label || named);
      // OFAC lists it among the documents, and some ask for it as one.
      if (type === 'lei') entry.keys.push({ type: 'document', value, label: label || named });
    };
  }
  return null;
}

const online: { pattern: RegExp; type: KeyType; named: string }[] = [
  { pattern: /^(Digital Currency Address - \S+) (\S+)$/, type: 'wallet', named: '' },
  {
    pattern: /^(?:(E-?mail(?: Address)?):? ?)?([^\s@<>()]+@[^\s@<>()]+\.[^\s@<>(),;]+)/i,
    type: 'email',
    named: 'Email Address',
  },
  { pattern: /^(Website):? +(?!www\.?$)(\S+\.[^\s,;]+)/i, type: 'domain', named: 'Website' },
  { pattern: /^()((?:https?:\/\/|www\.)\S+\.[^\s,;]+)/i, type: 'domain', named: 'Website' },
  { pattern: /^(SWIFT(?:\/BIC)?|BIC)(?: Code)?:? ([A-Z0-9]{8}(?:[A-Z0-9]{3})?)\b/i, type: 'bic', named: 'SWIFT/BIC' },
  { pattern: /^(IBAN):? ([A-Z]{2}[0-9]{2}[A-Z0-9 ]{10,40})/i, type: 'iban', named: 'IBAN' },
  { pattern: /^(LEI|Legal Entity (?:Number|Identifier))(?: \(LEI\))?:? ([A-Z0-9]{20})\b/, type: 'lei', named: 'LEI' },
  { pattern: /^(Vessel Registration Identification IMO) +(\d{7})\b/, type: 'imo', named: '' },
  { pattern: /^(International Maritime Organization No\.) \(?(\d{7})\b/, type: 'imo', named: '' },
];

/** What ends with a number or code: documents, registrations, serial numbers; and the country in parentheses after it. */
function numberReading(item: string): Reading | null {
  const imo = /\bNumber IMO +(\d{6,7})\b/.exec(item)?.[1];
  const [, label = '', rest = ''] = described.exec(item) ?? abbreviated.exec(item) ?? [];
  const value = rest
    .replace(afterNumber, '')
    .replace(/^(?:[A-Z]{2,5}: ?|(?:ISIN|RIF|CNIC|NIC)(?: |(?=\d))|ISIN(?=[A-Z]{2}[A-Z0-9]{9}\d\b))(?=\S)/, '')
    .trim();
  if (!/\d/.test(value) || value.length > 60) return null;
  const name = label.replace(/:$/, '');
  // Companies that own ships have such numbers too, and some ask for them as documents.
  const ship = imo ?? (label === 'Vessel Registration Identification' && isImo(value) ? value : null);
  return entry => {
    if (ship) entry.keys.push({ type: 'imo', value: ship, label: imo ? 'IMO' : label });
    addKey(entry, 'document', value, name);
    // A check digit in parentheses is often left out.
    const unchecked = /^(.*\d)\(\w\)$/.exec(value)?.[1];
    if (unchecked) entry.keys.push({ type: 'document', value: unchecked, label: name });
    // Of `UNP 101119568`, the number alone too.
    const own = /^(?!IMO)[A-Za-z]{3,10}:? ([A-Z]?-?\d{6,})$/.exec(value)?.[1];
    if (own) entry.keys.push({ type: 'document', value: own, label: name });
    const second = /, Doc\. ([\w-]+)/.exec(rest)?.[1];
    if (second) addKey(entry, 'document', second, 'Doc.');
    addCountriesWithin(entry, rest);
  };
}

/** The words that OFAC's labels end with; what is in capitals after them (`HE 47364`, `TR-P 614166`) belongs to the number. */
const described = new RegExp(
  String.raw`^(.{0,70}(?:${[
    String.raw`\b(?:Nos?\b\.?|[Nn]umber|VisaNumberID|ID|Code|Card|Passport|Licen[cs]e|Certificate|Identification|Identidad|Identity)`,
    String.raw`\b(?:Registration|Registry|Document|Booklet|Tributaria|electoral|Nacional|Call Sign|Laissez-Passer|Permit)`,
    String.raw`(?<=[A-Za-z.] ?)#`,
  ].join(
    '|',
  )})(?![\w)])(?: Pattern)?(?: ?#)?(?: \((?:[A-Z./]{2,6}|also called [^)]*|Personal Numerical Code|Dubai)\)(?![\w(]))?:?) *(\S.*)$`,
);

/** Labels that are abbreviations; they open the item, because many a number begins like one. */
const abbreviated =
  /^((?:[A-Z][a-z]+ )?(?:(?:[A-Z]\.){2,4}|RFC|CURP|Cedula|MMSI|ISIN|BIK|CNP|INN|OGRN|SSN|US FEIN|NIT|NUIT|RUC|RIF|RTN|NIE|DNI|UNP|Romanian Permanent Resident CAN)(?: \([A-Z][A-Za-z ]+\))?(?: ?#)?:?) +(\S.*)$/;

/** A code in parentheses within a number belongs to it: `D489833(9)`, `12/BAHANA(N)010023`, `(HWI)040182`. */
const afterNumber =
  /(?:,? +\(|(?<=\S)\((?!(?-i:[A-Z0-9]{1,6}\)))|,? *(?:\bissued\b|\bexpire[sd]?\b|\bissue date\b)|, ).*$/i;
