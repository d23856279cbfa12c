import { z } from 'zod';
import { countriesOf } from '#shared/screening/lists/countries.ts';
import { payeeTypes } from '#shared/values/event_types.ts';
import { namesDigest } from './screening_entries.ts';
import type { EntryType } from '#shared/screening/matcher/entry.ts';
import { keysOfPayeeKey, type QueryKey, type ScreeningQuery } from '#shared/screening/matcher/query.ts';

/** The types of a payee: those of events, and those of lists. */
export const SubjectType = z.enum([...payeeTypes, 'person', 'organization', 'vessel', 'aircraft']).meta({
  id: 'ScreenedType',
  description: 'Individuals are held to be persons and businesses organizations; of the others either may be meant.',
});

export const IdentifierType = z.enum(['domain', 'email', 'bic', 'iban', 'lei', 'imo', 'document', 'other']);

/** The subject of a screening. Unknown facts are null or empty. */
export const Subject = z
  .object({
    key: z.string().nullable(),
    name: z.string().nullable(),
    type: SubjectType.nullable(),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2' }),
    aliases: z.array(z.string()),
    date_of_birth: z
      .string()
      .nullable()
      .meta({ description: 'as precise as it was given: `1957`, `1957-03`, `1957-03-10`' }),
    wallets: z.array(z.object({ network: z.string().nullable(), address: z.string() })),
    identifiers: z.array(z.object({ type: IdentifierType, value: z.string() })),
  })
  .meta({ id: 'ScreeningQuery', description: 'Who was screened.' });
export type Subject = z.infer<typeof Subject>;

/** A subject without any detail. */
export const nobody: Subject = {
  key: null,
  name: null,
  type: null,
  country: null,
  aliases: [],
  date_of_birth: null,
  wallets: [],
  identifiers: [],
};

/** The screened facts of a registered payee. */
type PayeeSubject = {
  key: string;
  type: string | null;
  name: string | null;
  country: string | null;
  aliases: readonly string[];
};

/** The subject of a payee's screening. */
export const subjectOfPayee = ({ key, type, name, country, aliases }: PayeeSubject): Subject => ({
  ...nobody,
  key,
  name,
  type: SubjectType.safeParse(type).data ?? null,
  country,
  aliases: [...aliases],
});

/** Digest of a subject's names. */
export const subjectNames = ({ name, aliases }: { name: string | null; aliases: readonly string[] }): string =>
  namesDigest(name === null ? aliases : [name, ...aliases]);

/** The matcher's query for a subject. */
export const queryOf = (subject: Subject): ScreeningQuery => ({
  name: subject.name,
  aliases: subject.aliases,
  type: subject.type === null ? null : entryTypes[subject.type],
  countries: subject.country === null ? [] : countriesOf(subject.country),
  birth_date: subject.date_of_birth,
  keys: keysOf(subject),
});

const entryTypes: Record<z.infer<typeof SubjectType>, EntryType | null> = {
  individual: 'person',
  business: 'organization',
  // A shop may be a company or a sole trader.
  merchant: null,
  wallet: null,
  agent: null,
  unknown: null,
  person: 'person',
  organization: 'organization',
  vessel: 'vessel',
  aircraft: 'aircraft',
};

const keysOf = ({ key, wallets, identifiers }: Subject): QueryKey[] => [
  ...(key === null ? [] : keysOfPayeeKey(key)),
  ...wallets.map(({ network, address }): QueryKey => ({
    type: 'wallet',
    value: network === null ? address : `${network}:${address}`,
  })),
  ...identifiers.map(({ type, value }): QueryKey => ({ type: type === 'other' ? null : type, value })),
];
