import { z } from 'zod';

/** The kinds of entries, to which a query may be restricted. */
export const EntryType = z.enum(['person', 'organization', 'vessel', 'aircraft', 'unknown']);
export type EntryType = z.infer<typeof EntryType>;

/** Identifiers match exactly or not at all. `other`: a value of unknown kind. */
export const KeyType = z.enum(['wallet', 'domain', 'email', 'bic', 'iban', 'lei', 'imo', 'document', 'other']);
export type KeyType = z.infer<typeof KeyType>;

/** Whether a list names parties to be matched (`deny`), or known ones to be exempted (`allow`). */
export const EntryAction = z.enum(['deny', 'allow']);

/** One entry of a list in one form, whoever publishes it. This is what is stored and indexed. */
export const ListEntry = z.object({
  /** The publisher's own id: OFAC's ent_num, the UN's reference number. */
  entry_id: z.string(),
  action: EntryAction,
  type: EntryType,
  /** The primary name as published; empty where an entry has keys alone. */
  name: z.string(),
  /** Other names, in any script. `weak`: broad or of low quality, according to the publisher. */
  aliases: z.array(z.object({ name: z.string(), weak: z.boolean() })),
  /** Identifiers as published. `label` says what one is, in the publisher's words: `Passport`, `Digital Currency Address - XBT`. */
  keys: z.array(z.object({ type: KeyType, value: z.string(), label: z.string().nullable() })),
  /** ISO 3166-1 alpha-2. */
  countries: z.array(z.string()),
  /** As precise as published: `1957`, `1957-03`, `1957-03-10`, or a range of years `1955/1958`. */
  birth_dates: z.array(z.string()),
  /** Programmes or regimes under which it is listed. */
  programs: z.array(z.string()),
  /** Information for reviewers, as published; cut at 2,000 characters. */
  remarks: z.string().nullable(),
});
export type ListEntry = z.infer<typeof ListEntry>;
