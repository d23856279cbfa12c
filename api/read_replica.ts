import type { Caller } from './caller.ts';
import { expectedETag } from './etag.ts';
import type { Route } from './route.ts';
import type { ApiServices } from './services.ts';
import { noVersions, readVersionsOf } from '#shared/interface/versions.ts';
import type { Db } from '#shared/platform/db.ts';

/**
 * The replica, where it stands at the same counters as the primary for what an answer is made of; null where it does not, or there is none. So an
 * answer from it is the one that its ETag, which the primary's counters make, promises; and whoever has changed something finds it changed.
 */
export async function replicaFor(
  route: Route,
  caller: Caller,
  url: string,
  query: unknown,
  tag: string,
  services: ApiServices,
): Promise<Db | null> {
  const db = services.replica?.current();
  if (!db) return null;
  try {
    const versions = await readVersionsOf(db, [caller.org_id], caller.environment);
    const counters = versions.get(caller.org_id) ?? noVersions;
    const there = await expectedETag(route, caller, url, query, services, counters);
    return there === tag ? db : null;
  } catch {
    return null;
  }
}

/** What is found there, or in the primary where the replica fails: it may be gone, or replay what removes what was being read. */
export async function lookAt<T>(look: (db: Db) => Promise<T> | T, replica: Db | null, primary: Db): Promise<T> {
  if (replica === null) return look(primary);
  try {
    return await look(replica);
  } catch {
    return look(primary);
  }
}
