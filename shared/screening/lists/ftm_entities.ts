import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { addAlias, addBirthDate, addCountry, addKey, addRemark, type Draft, draft } from './draft.ts';
import {
  countryProperties,
  keyProperties,
  kindOfProperty,
  otherSchemata,
  strongNames,
  weakNames,
} from './ftm_properties.ts';
import { jsonObject, type Line, textLines } from './json_lines.ts';
import { ListError } from './list_error.ts';
import type { TextSource } from './list_format.ts';

type Entity = {
  id: string;
  schema: string;
  caption: string;
  target: boolean | null;
  properties: string[];
  of(property: string): string[];
};

/** The parts of an entity that other entities hold: document numbers, wallets, programs. */
type Joined = { documents: ListEntry['keys']; wallets: ListEntry['keys']; programs: Set<string> };

/**
 * Reads FollowTheMoney entities, one JSON object a line. The file is read twice: documents, wallets and sanctions stand
 * before or after those they belong to, so the first time these alone are kept (a map by holder, which is small beside the
 * list), the second time every entity becomes an entry at once. Only targets are entries: the file also holds relatives and
 * owners who are not listed. A wallet whose holder is no entry is one of its own.
 */
export async function* readEntities(
  source: TextSource,
  again: () => TextSource,
  account: Accounting,
): AsyncGenerator<ListEntry> {
  const joined = new Map<string, Joined>();
  const wallets: { holders: string[]; entry: Draft }[] = [];
  for await (const lines of textLines(source)) {
    for (const line of lines) {
      if (!belongsToAnother.test(line.text)) continue;
      const entity = toEntity(line, source.name);
      join(joined, entity);
      if (entity.schema === 'CryptoWallet')
        wallets.push({ holders: entity.of('holder'), entry: toEntry(entity, 'unknown', account) });
    }
  }
  const holders = new Set<string>();
  for await (const lines of textLines(again())) {
    for (const line of lines) {
      const entity = toEntity(line, source.name);
      const type = types[entity.schema];
      if (!type || !isListed(entity)) {
        accountForOther(account, entity);
        continue;
      }
      const entry = toEntry(entity, type, account);
      const other = joined.get(entity.id);
      if (other) {
        for (const { type: kind, value, label } of other.documents) addKey(entry, kind, value, label);
        // Accounted for where the wallet was read.
        entry.keys.push(...other.wallets);
        entry.programs.push(...other.programs);
        holders.add(entity.id);
      }
      yield entry;
    }
  }
  // Documents of those who are not listed.
  for (const [id, { documents }] of joined) if (!holders.has(id)) for (const _ of documents) account.pass();
  for (const { holders: ids, entry } of wallets) if (!ids.some(id => holders.has(id))) yield entry;
}

/** Relatives and owners who are not listed, and what ties entities together. */
function accountForOther(account: Accounting, entity: Entity) {
  const { schema } = entity;
  if (schema === 'CryptoWallet' || belongsToAnother.test(`"schema":"${schema}"`)) return;
  if (schema in types || otherSchemata.has(schema) || !isListed(entity)) account.pass();
  else account.miss(`schema ${schema}`, entity.caption || entity.id);
}

/** Looked for before a line is parsed: nine of ten are something else. */
const belongsToAnother = /"schema"\s*:\s*"(?:Passport|Identification|CryptoWallet|Sanction)"/;

function join(joined: Map<string, Joined>, entity: Entity) {
  const document = entity.schema === 'Passport' || entity.schema === 'Identification';
  for (const id of entity.of(entity.schema === 'Sanction' ? 'entity' : 'holder')) {
    const joined_entity = joined.get(id) ?? { documents: [], wallets: [], programs: new Set() };
    joined.set(id, joined_entity);
    const label = entity.of('type')[0] ?? entity.schema;
    if (document)
      for (const value of documentNumbers.flatMap(entity.of))
        joined_entity.documents.push({ type: 'document', value, label });
    for (const value of entity.of('publicKey'))
      joined_entity.wallets.push({ type: 'wallet', value, label: walletLabel(entity) });
    const programs = entity.of('programId');
    for (const program of programs.length > 0 ? programs : entity.of('program')) joined_entity.programs.add(program);
  }
}

const documentNumbers = ['number', 'passportNumber', 'idNumber'];

const walletLabel = (entity: Entity) => ['Digital Currency Address', ...entity.of('currency').slice(0, 1)].join(' - ');

/** Whether the source itself lists the entity: by `target`, by a topic, or because it says nothing else. */
const isListed = ({ target, of }: Entity) =>
  target === true || of('topics').includes('sanction') || (target === null && of('topics').length === 0);

const types: Partial<Record<string, EntryType>> = {
  Person: 'person',
  Company: 'organization',
  Organization: 'organization',
  PublicBody: 'organization',
  // What may be a person or an organization.
  LegalEntity: 'unknown',
  Vessel: 'vessel',
  Airplane: 'aircraft',
};

function toEntity(line: Line, file: string): Entity {
  const { id, schema, caption, target, properties } = jsonObject(line, file);
  const fault = typeof id !== 'string' || id === '' ? 'id' : typeof schema !== 'string' ? 'schema' : null;
  if (fault || typeof id !== 'string' || typeof schema !== 'string')
    throw new ListError(file, line.line, `an entity without "${fault}"; FollowTheMoney has id, schema and properties`);
  const values =
    typeof properties === 'object' && properties !== null ? new Map(Object.entries(properties)) : new Map();
  return {
    id,
    schema,
    caption: typeof caption === 'string' ? caption : '',
    target: typeof target === 'boolean' ? target : null,
    properties: [...values.keys()],
    of: property => textsIn(values.get(property)),
  };
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : typeof value === 'string' ? [value] : [];

function toEntry(entity: Entity, type: EntryType, account: Accounting): Draft {
  const { of, caption } = entity;
  const names = of('name');
  const entry = draft(account, entity.id, type);
  // The caption is one of the names, or made of them.
  entry.name = names.includes(caption) || type !== 'unknown' ? caption : (names[0] ?? '');
  for (const name of strongNames.flatMap(of)) addAlias(entry, name);
  for (const name of weakNames.flatMap(of)) addAlias(entry, name, true);
  for (const [property, key] of keyProperties) for (const value of of(property)) addKey(entry, key, value, property);
  for (const value of of('publicKey')) addKey(entry, 'wallet', value, walletLabel(entity));
  for (const country of countryProperties.flatMap(of)) addCountry(entry, country);
  for (const date of of('birthDate')) addBirthDate(entry, date);
  for (const address of of('address')) if (address) account.read('addresses');
  entry.programs = of('programId').length > 0 ? of('programId') : of('program');
  addRemark(entry, of('topics').join(', '), ...of('position').slice(0, 10), ...of('notes').slice(0, 5));
  accountForProperties(account, entity);
  return entry;
}

function accountForProperties(account: Accounting, { properties, of }: Entity) {
  for (const property of properties) {
    const kind = kindOfProperty(property);
    if (kind === 'taken') continue;
    for (const text of of(property))
      if (kind === 'unused') account.pass();
      else account.miss(property, text);
  }
}
