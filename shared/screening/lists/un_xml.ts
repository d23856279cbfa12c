import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import {
  addAlias,
  addBirthDate,
  addBirthYears,
  addCountryName,
  addKey,
  addRemark,
  type Draft,
  draft,
} from './draft.ts';
import { yearRange } from './dates.ts';
import { addIdentifiersIn } from './free_text.ts';
import { ListError } from './list_error.ts';
import { oneFile } from './list_files.ts';
import type { ListFormat } from './list_format.ts';
import { publishedNames } from './un_names.ts';
import { accountForRest, paths } from './xml_account.ts';
import { childrenOf, textAt, textsOf, type XmlElement, xmlElements } from './xml_elements.ts';

/**
 * The consolidated list of the United Nations Security Council as XML.
 * Layout: https://www.un.org/sc/resources/sc-sanctions.xsd.
 */
export const unXml: ListFormat = {
  about: 'United Nations Security Council consolidated list as XML',
  files: path => oneFile(path, [/^(un_)?consolidated.*\.xml$/i, /^(?!.*\b(sdn|eu)).*\.xml$/i]),
  async *read(input) {
    for (const path of input.files) {
      const source = input.open(path);
      const wanted = new Set(['INDIVIDUAL', 'ENTITY']);
      for await (const elements of xmlElements(source, { roots: ['CONSOLIDATED_LIST'], wanted }))
        for (const element of elements) yield toEntry(element, source.name, input.account);
    }
  },
};

function toEntry(element: XmlElement, file: string, account: Accounting): ListEntry {
  const id = textAt(element, 'REFERENCE_NUMBER');
  if (!id) throw new ListError(file, element.line, `an <${element.name}> without REFERENCE_NUMBER`);
  const person = element.name === 'INDIVIDUAL';
  const published = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
    .map(name => textAt(element, name))
    .filter(name => name !== '' && name.toLowerCase() !== 'na')
    .join(' ');
  const entry = draft(account, id, person ? 'person' : 'organization');
  // The primary name as it is published; where it is several, the first of them.
  if (!published.includes(';')) entry.name = published;
  addNames(entry, published, false);
  addAlias(entry, textAt(element, 'NAME_ORIGINAL_SCRIPT'));
  for (const alias of childrenOf(element, `${element.name}_ALIAS`)) {
    addNames(entry, textAt(alias, 'ALIAS_NAME'), textAt(alias, 'QUALITY') === 'Low');
    addAlias(entry, textAt(alias, 'NAME_ORIGINAL_SCRIPT'));
  }
  const listType = textAt(element, 'UN_LIST_TYPE');
  if (listType) entry.programs.push(listType);
  if (person) addPerson(entry, element);
  addIdentifiersIn(entry, textAt(element, 'COMMENTS1'));
  for (const part of element.children)
    if (part.name !== 'INDIVIDUAL_DOCUMENT') addIdentifiersIn(entry, textAt(part, 'NOTE'));
  for (const address of childrenOf(element, `${element.name}_ADDRESS`)) {
    if (address.children.some(({ text }) => text.trim() !== '')) account.read('addresses');
    addCountryName(entry, textAt(address, 'COUNTRY'));
  }
  accountForRest(account, element, person ? individual : entity);
  addRemark(
    entry,
    ...childrenOf(element, 'TITLE').flatMap(title => textsOf(title, 'VALUE')),
    ...childrenOf(element, 'DESIGNATION').flatMap(designation => textsOf(designation, 'VALUE')),
    textAt(element, 'COMMENTS1'),
  );
  return entry;
}

/** What the reader takes of a record, and what it knows to be of no use. */
const used = [
  ': FIRST_NAME SECOND_NAME THIRD_NAME FOURTH_NAME NAME_ORIGINAL_SCRIPT REFERENCE_NUMBER UN_LIST_TYPE COMMENTS1',
  'NATIONALITY: VALUE',
];
const unused = [
  ': DATAID VERSIONNUM LISTED_ON SUBMITTED_BY SUBMITTED_ON DELISTED_ON GENDER SORT_KEY SORT_KEY_LAST_MOD',
  'TITLE: VALUE',
  'DESIGNATION: VALUE',
  'LIST_TYPE: VALUE',
  'LAST_DAY_UPDATED: VALUE',
];
const aliasParts = 'ALIAS_NAME NAME_ORIGINAL_SCRIPT QUALITY NOTE';
const addressParts = 'COUNTRY CITY STREET STATE_PROVINCE ZIP_CODE NOTE';
const individual = {
  taken: paths(
    ...used,
    `INDIVIDUAL_ALIAS: ${aliasParts} DATE_OF_BIRTH`,
    `INDIVIDUAL_ADDRESS: ${addressParts}`,
    'INDIVIDUAL_PLACE_OF_BIRTH: NOTE',
    'INDIVIDUAL_DATE_OF_BIRTH: DATE YEAR FROM_YEAR TO_YEAR TYPE_OF_DATE NOTE',
    'INDIVIDUAL_DOCUMENT: NUMBER TYPE_OF_DOCUMENT TYPE_OF_DOCUMENT2 ISSUING_COUNTRY COUNTRY_OF_ISSUE NOTE',
  ),
  unused: paths(
    ...unused,
    'INDIVIDUAL_ALIAS: CITY_OF_BIRTH COUNTRY_OF_BIRTH',
    'INDIVIDUAL_DOCUMENT: CITY_OF_ISSUE DATE_OF_ISSUE',
    'INDIVIDUAL_PLACE_OF_BIRTH: CITY COUNTRY STATE_PROVINCE STREET ZIP_CODE',
  ),
};
const entity = {
  taken: paths(...used, `ENTITY_ALIAS: ${aliasParts}`, `ENTITY_ADDRESS: ${addressParts}`),
  unused: paths(...unused),
};

/** The names in a field; an abbreviation that stands beside one is a weak alias. */
function addNames(entry: Draft, text: string, weak: boolean) {
  const { names, abbreviations } = publishedNames(text);
  if (/\d{5}/.test(text)) addIdentifiersIn(entry, text);
  if (text && names.length === 0) entry.account.miss('name', text);
  for (const name of names) addAlias(entry, name, weak);
  for (const abbreviation of abbreviations) addAlias(entry, abbreviation, true);
}

function addPerson(entry: Draft, element: XmlElement) {
  for (const nationality of childrenOf(element, 'NATIONALITY'))
    for (const country of textsOf(nationality, 'VALUE')) addCountryName(entry, country);
  for (const birth of childrenOf(element, 'INDIVIDUAL_DATE_OF_BIRTH')) addBirth(entry, birth);
  for (const alias of childrenOf(element, 'INDIVIDUAL_ALIAS')) addBirthDate(entry, textAt(alias, 'DATE_OF_BIRTH'));
  for (const document of childrenOf(element, 'INDIVIDUAL_DOCUMENT')) addDocument(entry, document);
}

function addBirth(entry: Draft, birth: XmlElement) {
  const [from, to] = [Number(textAt(birth, 'FROM_YEAR')), Number(textAt(birth, 'TO_YEAR'))];
  if (from && to) return addBirthYears(entry, yearRange(from, to));
  const about = textAt(birth, 'TYPE_OF_DATE') === 'APPROXIMATELY' ? 'circa ' : '';
  const date = textAt(birth, 'DATE') || textAt(birth, 'YEAR') || textAt(birth, 'NOTE');
  addBirthDate(entry, date && `${about}${date}`);
}

/** The number alone: editors write what it is, whose it is and where it was issued into the same field, or into another. */
function addDocument(entry: Draft, document: XmlElement) {
  const kind = textAt(document, 'TYPE_OF_DOCUMENT');
  const detail = textAt(document, 'TYPE_OF_DOCUMENT2');
  addCountryName(entry, textAt(document, 'ISSUING_COUNTRY') || textAt(document, 'COUNTRY_OF_ISSUE'));
  const number = documentNumber(textAt(document, 'NUMBER'));
  if (number) {
    addIdentifiersIn(entry, textAt(document, 'NOTE'));
    return addKey(entry, 'document', number, detail || kind);
  }
  const noted = [detail, textAt(document, 'NOTE')].map(documentNumber).filter(text => text !== '');
  for (const text of noted) addKey(entry, 'document', text, kind);
  const all = document.children.map(({ text }) => text.trim()).join(' ');
  if (noted.length === 0 && /\d{5}/.test(all)) entry.account.miss(`document: ${detail || kind}`, all);
}

/** `Afghan passport number SE 012820 (issued 1999)` → `SE 012820`; '' where there is no number. */
export function documentNumber(text: string): string {
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .slice(0, 500)
    .replaceAll(/\([^)]*\)/g, ' ')
    .replace(/(?:[,;(]|\b(?:issued|expire|expir|under|valid|dated?|born)).*$/i, '')
    .replace(/(\d) No\. (?=\d)/, '$1 ');
  const tail = plain.replace(/^.*\b(?:numbers?|no|n|SSN|passport|card|code|ID)\b[\s.:°º]*/i, '');
  const match = /(?:\b[A-Z]{1,3}[- ]{1,2}){0,2}[\w./-]*\d[\w./-]*(?: \d[\w./-]*)*/.exec(tail);
  return match?.[0].replace(/[.-]+$/, '') ?? '';
}
