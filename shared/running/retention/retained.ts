import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Topic } from '#shared/interface/versions.ts';
import type { Db } from '#shared/platform/db.ts';

/** A record that is older than it is kept, or nearly: where it stands, and whether the service still needs it. */
export const Candidate = z.object({
  key: z.string(),
  /** When it was made, which is what its age counts from. */
  at: z.string(),
  /** The ids of what it is about: a case that has one of them holds it. */
  about: z.array(z.string()),
  needed: z.boolean(),
});
export type Candidate = z.infer<typeof Candidate>;

/** Where to look: after this key, at what is older than this time (RFC 3339), at so many records at most. */
export type Look = { after: string; before: string; limit: number };

/** Some records in order, and the key after which to look next; null: there are no more that old. */
export type Looked = { candidates: readonly Candidate[]; next: string | null };

/** For how long records of a kind can be kept. */
export type Terms = {
  /** The fewest days they are kept in production, and why. */
  fewest_days: number;
  why: string;
  /** The service keeps them no longer by itself; null: forever. */
  most_days: number | null;
};

/** A kind of records that are removed where they stand. */
export type Retained = Terms & {
  /** Records stay and are only emptied, so that a run begins where the last one ended. */
  stays?: true;
  /** What their readers ask for. */
  topics: readonly Topic[];
  look(db: Db, tenant: Tenant, look: Look): Promise<Looked>;
  /** Removes those of these keys that are still as they were looked at. Returns how many. */
  remove(tx: Db, tenant: Tenant, keys: readonly string[], before: string): Promise<number>;
};
