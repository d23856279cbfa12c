import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { addAlias, addBirthDate, addCountryName, addKey, addRemark, draft } from './draft.ts';
import { yearRange } from './dates.ts';
import { ListError } from './list_error.ts';
import { oneFile } from './list_files.ts';
import type { ListFormat } from './list_format.ts';
import { publishedNames } from './un_names.ts';
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
        for (const element of elements) yield toEntry(element, source.name);
    }
  },
};

function toEntry(element: XmlElement, file: string): ListEntry {
  const id = textAt(element, 'REFERENCE_NUMBER');
  if (!id) throw new ListError(file, element.line, `an <${element.name}> without REFERENCE_NUMBER`);
  const person = element.name === 'INDIVIDUAL';
  const published = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
    .map(name => textAt(element, name))
    .filter(name => name !== '' && name.toLowerCase() !== 'na')
    .join(' ');
  const entry = draft(id, person ? 'person' : 'organization', published.includes(';') ? '' : published);
  addNames(entry, published, false);
  addAlias(entry, textAt(element, 'NAME_ORIGINAL_SCRIPT'));
  for (const alias of childrenOf(element, `${element.name}_ALIAS`)) {
    addNames(entry, textAt(alias, 'ALIAS_NAME'), textAt(alias, 'QUALITY') === 'Low');
    addAlias(entry, textAt(alias, 'NAME_ORIGINAL_SCRIPT'));
  }
  const listType = textAt(element, 'UN_LIST_TYPE');
  if (listType) entry.programs.push(listType);
  if (person) addPerson(entry, element);
  for (const address of childrenOf(element, `${element.name}_ADDRESS`))
    addCountryName(entry, textAt(address, 'COUNTRY'));
  addRemark(
    entry,
    ...childrenOf(element, 'TITLE').flatMap(title => textsOf(title, 'VALUE')),
    ...childrenOf(element, 'DESIGNATION').flatMap(designation => textsOf(designation, 'VALUE')),
    textAt(element, 'COMMENTS1'),
  );
  return entry;
}

/** The names in a field; an abbreviation that stands beside one is a weak alias. */
function addNames(entry: ListEntry, text: string, weak: boolean) {
  const { names, abbreviations } = publishedNames(text);
  for (const name of names) addAlias(entry, name, weak);
  for (const abbreviation of abbreviations) addAlias(entry, abbreviation, true);
}

function addPerson(entry: ListEntry, element: XmlElement) {
  for (const nationality of childrenOf(element, 'NATIONALITY'))
    for (const country of textsOf(nationality, 'VALUE')) addCountryName(entry, country);
  for (const birth of childrenOf(element, 'INDIVIDUAL_DATE_OF_BIRTH')) addBirth(entry, birth);
  for (const alias of childrenOf(element, 'INDIVIDUAL_ALIAS')) addBirthDate(entry, textAt(alias, 'DATE_OF_BIRTH'));
  for (const document of childrenOf(element, 'INDIVIDUAL_DOCUMENT')) addDocument(entry, document);
}

function addBirth(entry: ListEntry, birth: XmlElement) {
  const [from, to] = [Number(textAt(birth, 'FROM_YEAR')), Number(textAt(birth, 'TO_YEAR'))];
  if (from && to) return void entry.birth_dates.push(yearRange(from, to));
  const about = textAt(birth, 'TYPE_OF_DATE') === 'APPROXIMATELY' ? 'circa ' : '';
  const date = textAt(birth, 'DATE') || textAt(birth, 'YEAR') || textAt(birth, 'NOTE');
  addBirthDate(entry, date && `${about}${date}`);
}

/** The number alone: editors write what it is, whose it is and where it was issued into the same field, or into another. */
function addDocument(entry: ListEntry, document: XmlElement) {
  const kind = textAt(document, 'TYPE_OF_DOCUMENT');
  const detail = textAt(document, 'TYPE_OF_DOCUMENT2');
  addCountryName(entry, textAt(document, 'ISSUING_COUNTRY') || textAt(document, 'COUNTRY_OF_ISSUE'));
  const number = documentNumber(textAt(document, 'NUMBER'));
  if (number) return addKey(entry, 'document', number, detail || kind);
  for (const text of [detail, textAt(document, 'NOTE')]) addKey(entry, 'document', documentNumber(text), kind);
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
  const found = /(?:\b[A-Z]{1,3}[- ]{1,2}){0,2}[\w./-]*\d[\w./-]*(?: \d[\w./-]*)*/.exec(tail);
  return found?.[0].replace(/[.-]+$/, '') ?? '';
}
