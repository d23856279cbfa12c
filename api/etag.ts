import { createHash } from 'node:crypto';
import type { Caller } from './caller.ts';
import type { Route } from './route.ts';
import type { ApiServices } from './services.ts';
import { noVersions, versionText } from '#shared/interface/versions.ts';

/**
 * The weak ETag (RFC 9110 §8.8.3) an answer will have, decided before the query that makes it: from this version of the program,
 * who asks, what for, and the counters of what the answer is made of. Null where it is made of the answer itself.
 */
export async function expectedETag(
  { version }: Route,
  caller: Caller,
  url: string,
  query: unknown,
  { versionsOf, now, revision }: ApiServices,
): Promise<string | null> {
  if (!version || version.of === 'answer') return null;
  if (version.unless !== undefined && asks(query, version.unless)) return null;
  const versions = caller.kind === 'session' ? caller.versions : await versionsOf(caller.org_id);
  const counters = versionText(versions ?? noVersions, version.of);
  const period = version.every === undefined ? null : Math.floor(now() / version.every);
  return etag([revision, caller.org_id, caller.environment, url, counters, period]);
}

/** Whether a query has a parameter, other than as zero. */
export const asks = (query: unknown, name: string): boolean =>
  Boolean((query as Record<string, unknown> | undefined)?.[name]);

/** The weak ETag of an answer by its own text. */
export const answerETag = (body: unknown): string => etag([body]);

/** Whether `If-None-Match` names this ETag. `*` names none in particular, and is answered in full. */
export const isNamed = (header: string, tag: string): boolean =>
  header.split(',').some(candidate => candidate.trim().replace(/^W\//, '') === tag.replace(/^W\//, ''));

const etag = (parts: unknown[]) =>
  `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
