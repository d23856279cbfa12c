import { createHash } from 'node:crypto';
import type { Caller } from './caller.ts';
import type { Route } from './route.ts';
import type { ApiServices } from './services.ts';
import { noVersions, versionText } from '#shared/interface/versions.ts';

/**
 * The weak ETag (RFC 9110 §8.8.3) of a response, decided before its query: from the program's version, the caller, the request, and the
 * counters of its topics. Null when it is made from the response itself.
 */
export async function expectedETag(
  { version }: Route,
  caller: Caller,
  url: string,
  query: unknown,
  { versionsOf, now, revision }: Pick<ApiServices, 'versionsOf' | 'now' | 'revision'>,
  known = caller.kind === 'session' ? caller.versions : undefined,
): Promise<string | null> {
  if (!version || version.of === 'answer') return null;
  if (version.unless !== undefined && asks(query, version.unless)) return null;
  const versions = known ?? (await versionsOf(caller.org_id));
  const counters = versionText(versions ?? noVersions, version.of);
  const period = version.every === undefined ? null : Math.floor(now() / version.every);
  return etag([revision, caller.org_id, caller.environment, url, counters, period]);
}

/** Whether a query has a parameter, other than zero. */
export const asks = (query: unknown, name: string): boolean =>
  Boolean((query as Record<string, unknown> | undefined)?.[name]);

/** The weak ETag of a response by its text. */
export const answerETag = (body: unknown): string => etag([body]);

/** Whether `If-None-Match` contains this ETag. `*` is no specific one, and gets the full response. */
export const isNamed = (header: string, tag: string): boolean =>
  header.split(',').some(candidate => candidate.trim().replace(/^W\//, '') === tag.replace(/^W\//, ''));

const etag = (parts: unknown[]) =>
  `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
