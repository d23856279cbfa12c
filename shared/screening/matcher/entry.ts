import { z } from 'zod';

/** What an entry of a list is, and what a query may be restricted to. */
export const EntryType = z.enum(['person', 'organization', 'vessel', 'aircraft', 'unknown']);
export type EntryType = z.infer<typeof EntryType>;

/** Identifiers that match exactly or not at all. `other`: a value whose kind is not known. */
export const KeyType = z.enum(['wallet', 'domain', 'email', 'bic', 'iban', 'lei', 'imo', 'document', 'other']);
export type KeyType = z.infer<typeof KeyType>;

/** Whom a list names: to be held against payees (`deny`), or known and not to be raised (`allow`). */
export const EntryAction = z.enum(['deny', 'allow']);

/** One entry of a list, whoever publishes it, in one form. It is what is stored, and what an index is built of. */
export const ListEntry = z.object({
  /** The publisher's own id: OFAC's ent_num, the UN's reference number. */
  entry_id: z.string(),
  action: EntryAction,
  type: EntryType,
  /** The primary name as published; empty where an entry has keys alone. */
  name: z.string(),
  /** Other names, also in other scripts. `weak`: the publisher says that it is broad or of low quality. */
  aliases: z.array(z.object({ name: z.string(), weak: z.boolean() })),
  /** Identifiers as published. `label` says what one is, in the publisher's words: `Passport`, `Digital Currency Address - XBT`. */
  keys: z.array(z.object({ type: KeyType, value: z.string(), label: z.string().nullable() })),
  /** ISO 3166-1 alpha-2. */
  countries: z.array(z.string()),
  /** As precise as published: `1957`, `1957-03`, `1957-03-10`, or a range of years `1955/1958`. */
  birth_dates: z.array(z.string()),
  /** Programmes or regimes under which it is listed. */
  programs: z.array(z.string()),
  /** What a reviewer may want to read, as published; cut at 2,000 characters. */
  remarks: z.string().nullable(),
});
export type ListEntry = z.infer<typeof ListEntry>;
