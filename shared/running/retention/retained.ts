import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Topic } from '#shared/interface/versions.ts';
import type { Db } from '#shared/platform/db.ts';

/** A record at or near the end of its retention: its key, and whether the service still needs it. */
export const Candidate = z.object({
  key: z.string(),
  /** When it was created, from which its age counts. */
  at: z.string(),
  /** The ids it is about: a case with one of them holds it. */
  about: z.array(z.string()),
  needed: z.boolean(),
});
export type Candidate = z.infer<typeof Candidate>;

/** Where to look: after this key, for records older than this time (RFC 3339), at most this many. */
export type RetentionPage = { after: string; before: string; limit: number };

/** Some records in order, and the key after which to look next; null: there are no more that old. */
export type RetentionLook = { candidates: readonly Candidate[]; next: string | null };

/** The limits of a kind's retention. */
export type Terms = {
  /** The minimum in production, and the reason for it. */
  fewest_days: number;
  why: string;
  /** The service's own retention; null: forever. */
  most_days: number | null;
};

/** A kind of records that is removed in place. */
export type Retained = Terms & {
  /** Records are only emptied and stay, so a run begins where the last one ended. */
  stays?: true;
  /** The topics of their readers. */
  topics: readonly Topic[];
  look(db: Db, tenant: Tenant, look: RetentionPage): Promise<RetentionLook>;
  /** Removes those of these keys that are unchanged since they were read. Returns how many. */
  remove(tx: Db, tenant: Tenant, keys: readonly string[], before: string): Promise<number>;
};
