import type { KeyType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { addAlias, addBirthDate, addCountry, addKey } from './draft.ts';
import { isImo } from './identifiers.ts';

/**
 * Adds to an entry what OFAC writes in its remarks, `; ` between the items: `DOB 10 Mar 1957`, `nationality Iran`,
 * `Passport A123 (Iran) expires 05 Aug 2020`, `Digital Currency Address - XBT 12Qt…`, `a.k.a. 'X'`. Names in quotes are what
 * OFAC calls weak aliases. Places of birth are no country of the person, and telephone numbers no identifiers.
 * Labels as they occur in the list of 2024; layout: https://ofac.treasury.gov (SDN data specification).
 */
export function addRemarks(entry: ListEntry, remarks: string) {
  const text = remarks.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  for (const item of text.split('; ')) addItem(entry, item.trim().replace(/^alt\. /i, ''));
}

/** No item with an identifier in it is longer; what is, is prose. */
const LONGEST_ITEM = 500;

/** Adds one item: a label of OFAC's and what it says. */
export function addItem(entry: ListEntry, item: string) {
  if (prose.test(item) || item.length > LONGEST_ITEM) return;
  const [, word = '', rest = ''] = firstWord.exec(item) ?? [];
  if (word === 'DOB') return addBirthDate(entry, rest);
  if (word === 'nationality' || word === 'citizen') return addCountry(entry, rest);
  const alias = /^[afn]\.k\.a\.,? ['"“‘](.+?)['"”’]?$/i.exec(item)?.[1];
  if (alias) return addAlias(entry, alias, true);
  const flag = /^(?:Former )?(?:Vessel Flag|Nationality of Registration) (.+)$/.exec(item)?.[1];
  if (flag) return addCountry(entry, flag);
  if (addOnline(entry, item)) return;
  // Companies that own ships have such numbers too, and some ask for them as documents.
  addKey(entry, 'imo', /\bNumber IMO +(\d{6,7})\b/.exec(item)?.[1] ?? '', 'IMO');
  addNumbered(entry, item);
}

const firstWord = /^(\S+) (.+)$/;

/** Items that hold words and digits, and neither name nor identifier of the entry. */
const prose =
  /^(Gender|Linked To|POB|Secondary sanctions|Transactions Prohibited|Additional Sanctions|Organization (Type|Established)|Target Type|Phone|Telephone|Tel\b|Fax|Telex|PHONE|FAX|TELEX|Alt\. (Fax|Telephone)|Aircraft (Model|Operator|Manufacture Date)|Vessel Year|(Effective|Listing) Date|Executive Order|CAATSA|For more information|Chinese Commercial Code|Interpol|Member|Commander|Judge)/i;

/** Wallets, e-mail addresses, web sites, codes of banks. */
function addOnline(entry: ListEntry, item: string): boolean {
  for (const { pattern, type, named } of online) {
    const match = pattern.exec(item);
    if (!match) continue;
    const [, label, value = ''] = match;
    addKey(entry, type, value.replace(/[.,]+$/, ''), label || named);
    // OFAC lists it among the documents, and some ask for it as one.
    if (type === 'lei') addKey(entry, 'document', value, label);
    return true;
  }
  return false;
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
];

/** What ends with a number or code: documents, registrations, serial numbers; and the country in parentheses after it. */
function addNumbered(entry: ListEntry, item: string) {
  const [, label = '', rest = ''] = described.exec(item) ?? abbreviated.exec(item) ?? [];
  const value = rest
    .replace(afterNumber, '')
    .replace(/^(?:[A-Z]{2,5}:|ISIN|RIF|CNIC|NIC) ?(?=\S)/, '')
    .trim();
  if (!/\d/.test(value) || value.length > 60) return;
  addKey(entry, 'document', value, label.replace(/:$/, ''));
  if (label === 'Vessel Registration Identification' && isImo(value)) addKey(entry, 'imo', value, label);
  for (const [, country = ''] of rest.matchAll(/\(([^()]+)\)/g)) addCountry(entry, country);
}

/** The words that OFAC's labels end with; what is in capitals after them (`HE 47364`, `TR-P 614166`) belongs to the number. */
const described = new RegExp(
  String.raw`^(.{0,70}(?:${[
    String.raw`\b(?:Nos?\b\.?|Number|VisaNumberID|ID|Code|Card|Passport|Licen[cs]e|Certificate|Identification|Identidad|Identity)`,
    String.raw`\b(?:Registration|Registry|Document|Booklet|Tributaria|electoral|Nacional|Call Sign|Laissez-Passer|Permit)`,
    String.raw`(?<=[A-Za-z.] ?)#`,
  ].join('|')})(?![\w)])(?: ?#)?(?: \((?:[A-Z./]{2,6}|also called [^)]*|Personal Numerical Code)\))?:?) *(\S.*)$`,
);

/** Labels that are abbreviations; they open the item, because many a number begins like one. */
const abbreviated =
  /^((?:[A-Z][a-z]+ )?(?:(?:[A-Z]\.){2,4}|RFC|CURP|Cedula|MMSI|ISIN|BIK|CNP|INN|OGRN|SSN|US FEIN|NIT|NUIT|RUC|RIF|RTN|NIE|DNI|UNP|Romanian Permanent Resident CAN)(?: \([A-Z][A-Za-z ]+\))?(?: ?#)?:?) +(\S.*)$/;

const afterNumber = /(?:,? *(?:\(|\bissued\b|\bexpire[sd]?\b|\bissue date\b)|, ).*$/i;
