import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { yearRange } from './dates.ts';
import { addAlias, addCountry, addKey, addRemark, draft } from './draft.ts';
import { ListError } from './list_error.ts';
import { addItem } from './ofac_remarks.ts';
import { childrenOf, textAt, type XmlElement } from './xml_elements.ts';

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
export function partyEntry(party: XmlElement, tables: AdvancedTables, file: string): ListEntry {
  const profiles = childrenOf(party, 'Profile');
  const id = party.attributes['FixedRef'] ?? profiles[0]?.attributes['ID'] ?? '';
  if (!id) throw new ListError(file, party.line, 'a <DistinctParty> without FixedRef');
  const entry = draft(id, typeOf(profiles[0], tables), '');
  for (const profile of profiles) {
    for (const identity of childrenOf(profile, 'Identity')) {
      addNames(entry, identity, tables);
      for (const document of tables.documents.get(identity.attributes['ID'] ?? '') ?? []) addDocument(entry, document);
    }
    for (const feature of childrenOf(profile, 'Feature')) addFeature(entry, feature, tables);
  }
  addRemark(entry, textAt(party, 'Comment'));
  return entry;
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

function addNames(entry: ListEntry, identity: XmlElement, tables: AdvancedTables) {
  const partOf = new Map<string, string>();
  for (const groups of childrenOf(identity, 'NamePartGroups'))
    for (const master of childrenOf(groups, 'MasterNamePartGroup'))
      for (const { attributes } of childrenOf(master, 'NamePartGroup'))
        partOf.set(attributes['ID'] ?? '', tables.text('NamePartType', attributes['NamePartTypeID']));
  for (const alias of childrenOf(identity, 'Alias')) {
    const weak = alias.attributes['LowQuality'] === 'true';
    for (const documented of childrenOf(alias, 'DocumentedName')) {
      const name = nameOf(documented, partOf, tables);
      if (alias.attributes['Primary'] === 'true' && !entry.name) entry.name = name;
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

function addDocument(entry: ListEntry, { type, number, country }: { type: string; number: string; country: string }) {
  addCountry(entry, country);
  const before = entry.keys.length;
  addItem(entry, `${type} ${number}`);
  // A label that the remarks do not have: the number is one all the same.
  if (entry.keys.length === before) addKey(entry, 'document', number, type);
}

/** The features of a party: dates, countries, wallets, web sites. */
function addFeature(entry: ListEntry, feature: XmlElement, tables: AdvancedTables) {
  const label = tables.text('FeatureType', feature.attributes['FeatureTypeID']);
  if (/^Place of Birth$/i.test(label)) return;
  for (const version of childrenOf(feature, 'FeatureVersion')) {
    for (const { attributes } of childrenOf(version, 'VersionLocation'))
      for (const country of tables.locations.get(attributes['LocationID'] ?? '') ?? []) addCountry(entry, country);
    for (const period of childrenOf(version, 'DatePeriod')) {
      const date = label === 'Birthdate' ? periodOf(period) : null;
      if (date) entry.birth_dates.push(date);
    }
    for (const detail of childrenOf(version, 'VersionDetail')) {
      const text = tables.text('DetailReference', detail.attributes['DetailReferenceID']) || detail.text.trim();
      if (/country|flag/i.test(label)) addCountry(entry, text);
      else if (text) addDetail(entry, label, text);
    }
  }
}

function addDetail(entry: ListEntry, label: string, text: string) {
  const before = entry.keys.length;
  addItem(entry, `${label} ${text}`);
  // What became an identifier needs no remark.
  if (label !== 'Gender' && entry.keys.length === before)
    addRemark(entry, label === 'Title' ? text : `${label} ${text}`);
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
