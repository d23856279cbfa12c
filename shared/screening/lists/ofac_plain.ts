import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { addAlias, addBirthDate, addCountry, addKey, addRemark, type Draft, draft } from './draft.ts';
import { ListError } from './list_error.ts';
import { addItem, addRemarks } from './ofac_remarks.ts';
import { childrenOf, textAt, textsOf, type XmlElement } from './xml_elements.ts';
import { accountForRest, paths } from './xml_account.ts';

/**
 * One `<sdnEntry>` of OFAC's sdn.xml. Fails with `ListError` where it has no uid.
 * Layout: https://ofac.treasury.gov, SDN XML schema (sdnList.xsd).
 */
export function plainEntry(element: XmlElement, file: string, account: Accounting): ListEntry {
  const id = textAt(element, 'uid');
  if (!id) throw new ListError(file, element.line, 'an <sdnEntry> without <uid>');
  const entry = draft(account, id, types[textAt(element, 'sdnType').toLowerCase()] ?? 'unknown', nameOf(element));
  for (const aka of itemsOf(element, 'akaList')) addAlias(entry, nameOf(aka), textAt(aka, 'category') === 'weak');
  for (const list of childrenOf(element, 'programList')) entry.programs.push(...textsOf(list, 'program'));
  for (const address of itemsOf(element, 'addressList'))
    if (address.children.some(({ name, text }) => name !== 'uid' && text.trim() !== '')) account.read('addresses');
  for (const list of ['addressList', 'nationalityList', 'citizenshipList'])
    for (const item of itemsOf(element, list)) addCountry(entry, textAt(item, 'country'));
  for (const birth of itemsOf(element, 'dateOfBirthList')) addBirthDate(entry, textAt(birth, 'dateOfBirth'));
  for (const document of itemsOf(element, 'idList')) addDocument(entry, document);
  addKey(entry, 'document', textAt(element, 'vesselInfo', 'callSign'), 'Call Sign');
  addCountry(entry, textAt(element, 'vesselInfo', 'vesselFlag'));
  // Written in parentheses here, and not in the CSV file.
  addRemarks(entry, textAt(element, 'remarks').replaceAll(/^\(|\)$/g, ''));
  addRemark(entry, textAt(element, 'title'), textAt(element, 'remarks'));
  accountForRest(account, element, known_paths);
  return entry;
}

const known_paths = {
  taken: paths(
    ': uid sdnType lastName firstName remarks',
    'programList: program',
    'akaList/aka: category lastName firstName',
    'addressList/address: address1 address2 address3 city stateOrProvince postalCode country',
    'nationalityList/nationality: country',
    'citizenshipList/citizenship: country',
    'dateOfBirthList/dateOfBirthItem: dateOfBirth',
    'idList/id: idType idNumber idCountry',
    'vesselInfo: callSign vesselFlag',
  ),
  unused: paths(
    ': title',
    'akaList/aka: uid type',
    'addressList/address: uid',
    'nationalityList/nationality: uid mainEntry',
    'citizenshipList/citizenship: uid mainEntry',
    'dateOfBirthList/dateOfBirthItem: uid mainEntry',
    'placeOfBirthList/placeOfBirthItem: uid placeOfBirth mainEntry',
    'idList/id: uid issueDate expirationDate',
    'vesselInfo: vesselType vesselOwner tonnage grossRegisteredTonnage',
  ),
};

const types: Partial<Record<string, EntryType>> = {
  individual: 'person',
  entity: 'organization',
  vessel: 'vessel',
  aircraft: 'aircraft',
};

const itemsOf = (element: XmlElement, list: string): XmlElement[] =>
  childrenOf(element, list).flatMap(({ children }) => children);

/** `LAST, First` as in the CSV files; what is no person has a last name alone. */
const nameOf = (element: XmlElement): string =>
  [textAt(element, 'lastName'), textAt(element, 'firstName')].filter(text => text !== '').join(', ');

/** Beside documents the list holds e-mail addresses, wallets, and notes such as the gender. */
function addDocument(entry: Draft, document: XmlElement) {
  addCountry(entry, textAt(document, 'idCountry'));
  addItem(entry, `${textAt(document, 'idType')} ${textAt(document, 'idNumber')}`);
}
