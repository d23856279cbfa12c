import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { yearRange } from './dates.ts';
import { addAlias, addBirthYears, addCountry, addKey, addName, addRemark, type Draft, draft } from './draft.ts';
import { ListError } from './list_error.ts';
import { isProse } from './ofac_prose.ts';
import { takeItem } from './ofac_remarks.ts';
import { childrenOf, textAt, type XmlElement } from './xml_elements.ts';
import { accountForRest, paths } from './xml_account.ts';

/** What parties refer to by id: OFAC's tables of values, addresses, and documents, all of which precede the parties. */
export type AdvancedTables = {
  /** The text of a value; '' where there is none. */
  text(table: string, id: string | undefined): string;
  values: Map<string, XmlElement>;
  /** Countries of a location. */
  locations: Map<string, string[]>;
  /** Documents of an identity, as `Passport A123`, and the country that issued them. */
  documents: Map<string, { type: string; number: string; country: string }[]>;
};

/**
 * The tables of a file in the Sanctions Advanced standard, empty.
 * Layout: https://ofac.treasury.gov, "Sanctions Advanced Data Model" (sdn_advanced_notes.pdf, ADVANCED_XML.xsd).
 */
export function advancedTables(): AdvancedTables {
  const values = new Map<string, XmlElement>();
  return {
    values,
    text: (table, id) => values.get(`${table} ${id}`)?.text.trim() ?? '',
    locations: new Map(),
    documents: new Map(),
  };
}

/** Keeps what is not a party: a value of a table, a location, a document. */
export function addReference(tables: AdvancedTables, element: XmlElement) {
  const { ID: id = '' } = element.attributes;
  if (element.name === 'Location') tables.locations.set(id, countriesAt(tables, element));
  else if (element.name === 'IDRegDocument') {
    const { IdentityID: identity = '', IDRegDocTypeID: type, 'IssuedBy-CountryID': country } = element.attributes;
    const documents = tables.documents.get(identity) ?? [];
    const number = textAt(element, 'IDRegistrationNo');
    documents.push({ type: tables.text('IDRegDocType', type), number, country: tables.text('Country', country) });
    tables.documents.set(identity, documents);
  } else tables.values.set(`${element.name} ${id}`, element);
}

function countriesAt(tables: AdvancedTables, location: XmlElement): string[] {
  const areas = childrenOf(location, 'LocationAreaCode').map(
    area => tables.values.get(`AreaCode ${area.attributes['AreaCodeID']}`)?.attributes['Description'] ?? '',
  );
  const countries = childrenOf(location, 'LocationCountry').map(country =>
    tables.text('Country', country.attributes['CountryID']),
  );
  return [...areas, ...countries].filter(country => country !== '');
}

/** One party as an entry. Fails with `ListError` where it has no id. */
export function partyEntry(party: XmlElement, tables: AdvancedTables, file: string, account: Accounting): ListEntry {
  const profiles = childrenOf(party, 'Profile');
  const id = party.attributes['FixedRef'] ?? profiles[0]?.attributes['ID'] ?? '';
  if (!id) throw new ListError(file, party.line, 'a <DistinctParty> without FixedRef');
  const entry = draft(account, id, typeOf(profiles[0], tables));
  for (const profile of profiles) {
    for (const identity of childrenOf(profile, 'Identity')) {
      addNames(entry, identity, tables);
      const identity_id = identity.attributes['ID'] ?? '';
      for (const document of tables.documents.get(identity_id) ?? []) addDocument(entry, document);
      tables.documents.delete(identity_id);
    }
    for (const feature of childrenOf(profile, 'Feature')) addFeature(entry, feature, tables);
  }
  addRemark(entry, textAt(party, 'Comment'));
  accountForRest(account, party, known_paths);
  return entry;
}

const version = 'Profile/Feature/FeatureVersion';
const known_paths = {
  taken: paths(
    'Profile/Identity/Alias/DocumentedName/DocumentedNamePart: NamePartValue',
    `${version}: VersionDetail`,
    ...['Start/From', 'Start/To', 'End/From', 'End/To'].map(end => `${version}/DatePeriod/${end}: Year Month Day`),
  ),
  unused: paths(': Comment', 'Profile: Comment', 'Profile/Feature: Comment', `${version}: Comment`),
};

/** Accounts for documents that belong to no party. Call it after the last one. */
export function accountForDocuments({ documents }: AdvancedTables, account: Accounting) {
  for (const list of documents.values())
    for (const { type, number } of list) account.miss(`${type} of no party`, number);
}

/** "Vessel", "Aircraft", or "Unknown" of the type "Individual" or "Entity". */
function typeOf(profile: XmlElement | undefined, tables: AdvancedTables): EntryType {
  const subType = tables.values.get(`PartySubType ${profile?.attributes['PartySubTypeID']}`);
  const own = types[subType?.text.trim() ?? ''];
  return own ?? types[tables.text('PartyType', subType?.attributes['PartyTypeID'])] ?? 'unknown';
}

const types: Partial<Record<string, EntryType>> = {
  Individual: 'person',
  Entity: 'organization',
  Vessel: 'vessel',
  Aircraft: 'aircraft',
};

function addNames(entry: Draft, identity: XmlElement, tables: AdvancedTables) {
  const partOf = new Map<string, string>();
  for (const groups of childrenOf(identity, 'NamePartGroups'))
    for (const master of childrenOf(groups, 'MasterNamePartGroup'))
      for (const { attributes } of childrenOf(master, 'NamePartGroup'))
        partOf.set(attributes['ID'] ?? '', tables.text('NamePartType', attributes['NamePartTypeID']));
  for (const alias of childrenOf(identity, 'Alias')) {
    const weak = alias.attributes['LowQuality'] === 'true';
    for (const documented of childrenOf(alias, 'DocumentedName')) {
      const name = nameOf(documented, partOf, tables);
      if (!name) entry.account.miss('alias without a name', alias.attributes['AliasTypeID'] ?? '');
      else if (alias.attributes['Primary'] === 'true') addName(entry, name);
      else addAlias(entry, name, weak);
    }
  }
}

/** `LAST, First Middle` as in the CSV files; in another script as it stands. */
function nameOf(documented: XmlElement, partOf: Map<string, string>, tables: AdvancedTables): string {
  const parts = childrenOf(documented, 'DocumentedNamePart').flatMap(part => childrenOf(part, 'NamePartValue'));
  const last: string[] = [];
  const others: string[] = [];
  let latin = true;
  for (const { text, attributes } of parts) {
    const family = /^(Last Name|Matronymic)$/.test(partOf.get(attributes['NamePartGroupID'] ?? '') ?? '');
    const script = tables.text('Script', attributes['ScriptID']);
    if (script !== '' && script !== 'Latin') latin = false;
    (family ? last : others).push(text.trim());
  }
  if (!latin) return parts.map(({ text }) => text.trim()).join(' ');
  return [last.join(' '), others.join(' ')].filter(text => text !== '').join(', ');
}

type Document = { type: string; number: string; country: string };

function addDocument(entry: Draft, { type, number, country }: Document) {
  addCountry(entry, country);
  if (isProse(type) || number === '') return entry.account.pass();
  // A label that the remarks do not have: the number is one all the same.
  if (!takeItem(entry, `${type} ${number}`)) addKey(entry, 'document', number, type);
}

/** The features of a party: dates, countries, wallets, web sites. */
function addFeature(entry: Draft, feature: XmlElement, tables: AdvancedTables) {
  const label = tables.text('FeatureType', feature.attributes['FeatureTypeID']);
  if (/^Place of Birth$/i.test(label)) return entry.account.pass();
  for (const version of childrenOf(feature, 'FeatureVersion')) {
    for (const { attributes } of childrenOf(version, 'VersionLocation'))
      addLocation(entry, tables.locations.get(attributes['LocationID'] ?? ''), label);
    for (const period of childrenOf(version, 'DatePeriod')) addPeriod(entry, label, period);
    for (const detail of childrenOf(version, 'VersionDetail')) {
      const text = tables.text('DetailReference', detail.attributes['DetailReferenceID']) || detail.text.trim();
      if (/country|flag/i.test(label)) addCountry(entry, text);
      else if (text) addDetail(entry, label, text);
    }
  }
}

function addLocation(entry: Draft, countries: string[] | undefined, label: string) {
  if (!countries) return entry.account.miss(label, 'a location that is not in the file');
  if (label === 'Location') entry.account.read('addresses');
  for (const country of countries) addCountry(entry, country);
}

function addPeriod(entry: Draft, label: string, period: XmlElement) {
  if (label !== 'Birthdate') return isProse(label) ? entry.account.pass() : entry.account.miss(label, 'a date');
  const date = periodOf(period);
  if (date) addBirthYears(entry, date);
  else entry.account.miss(label, 'a period without a year');
}

function addDetail(entry: Draft, label: string, text: string) {
  if (/call sign$/i.test(label)) return addKey(entry, 'document', text, label);
  // What became an identifier needs no remark.
  if (takeItem(entry, `${label} ${text}`)) return;
  if (label !== 'Gender') addRemark(entry, label === 'Title' ? text : `${label} ${text}`);
  if (label === 'Title' || isProse(label) || isProse(`${label} ${text}`)) entry.account.pass();
  else entry.account.miss(label, text);
}

/** A period from the first possible day to the last: a day, a month, a year, or years. */
function periodOf(period: XmlElement): string | null {
  const [start, end] = [childrenOf(period, 'Start')[0], childrenOf(period, 'End')[0]];
  const from = start && dayAt(start, 'From');
  const to = (end && dayAt(end, 'To')) ?? from;
  if (!from || !to) return null;
  if (start.attributes['Approximate'] === 'true') return yearRange(from.year - 2, to.year + 2);
  if (from.year !== to.year) return yearRange(from.year, to.year);
  if (from.month !== to.month) return String(from.year);
  const month = `${from.year}-${String(from.month).padStart(2, '0')}`;
  return from.day === to.day ? `${month}-${String(from.day).padStart(2, '0')}` : month;
}

function dayAt(element: XmlElement, name: string): { year: number; month: number; day: number } | undefined {
  const [year, month, day] = ['Year', 'Month', 'Day'].map(part => Number(textAt(element, name, part)));
  return year ? { year, month: month || 1, day: day || 1 } : undefined;
}
