import { z } from 'zod';
import { routes } from '#api/routes/index.ts';
import type { Route } from '#api/route.ts';
import { idPrefixes } from '#shared/interface/ids.ts';
import type { Scope } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { DAY } from '#shared/values/time.ts';

/** A ULID that nothing has. */
export const NOBODY = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** The routes that need a credential. */
export const guarded = routes.filter(route => route.access !== 'public');

/** The scopes of which a key needs one to call a route; none where it is for people. */
export function takes({ access }: Route): Scope[] {
  if (access === 'public' || !access.scopes) return [];
  return access.scopes === 'any' ? allScopes : access.scopes;
}

/** `GET /v1/events/{id}`: how a route is named in a title. */
export const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

/**
 * The path of a route with `id` in it, and with one of `ids` where it takes a second one; what is not given is a well-formed id that names
 * nothing.
 */
export function pathOf(route: Route, id?: string, ids: readonly string[] = []): string {
  const [first] = namesOf(route);
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === first) return id ?? unusedId(route);
    const unused = unusedId(route, name);
    return ids.find(known => known.startsWith(unused.slice(0, 4))) ?? unused;
  });
}

/** An id of the kind this route takes, in its first parameter unless another is named, which names nothing. */
export function unusedId(route: Route, name = namesOf(route)[0] ?? ''): string {
  const candidates = ['nothing', ...Object.values(idPrefixes).map(prefix => `${prefix}_${NOBODY}`)];
  const schema = route.params?.shape[name];
  const id = candidates.find(candidate => schema && z.safeParse(schema, candidate).success);
  if (!id) throw new Error(`${nameOf(route)} takes no id that is known here`);
  return id;
}

/** What has to be asked of a route that takes no request without a query; of the others nothing. */
export const neededQuery = ({ operation_id }: Route): string => needed[operation_id] ?? '';

const needed: Record<string, string> = {
  search: '?q=order',
  proveEvent: `?event_id=evt_${NOBODY}`,
  proveConsistency: '?from=0&to=0',
};

const namesOf = (route: Route) => [...route.path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

/** The example of a route's body, with the ids in it replaced by ones of the same kind that are there. Every body has one. */
export function exampleBody({ body, operation_id }: Route, ids: readonly string[] = []): unknown {
  const example: unknown = (body?.meta()?.['examples'] as unknown[] | undefined)?.[0];
  if (example === undefined) throw new Error(`the body of ${operation_id} has no example`);
  const text = JSON.stringify(example).replaceAll(
    /\b([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}\b/g,
    (id, prefix: string) => ids.find(known => known.startsWith(`${prefix}_`)) ?? id,
  );
  return JSON.parse(text.replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, time => inOurDays(time)));
}

/** What was to come when the examples were written is still to come, whenever the tests run: days later by as many as have passed. */
const WRITTEN = Date.parse('2026-11-20T12:00:00Z');
const inOurDays = (time: string) =>
  new Date(Date.parse(time) + Math.floor((Date.now() - WRITTEN) / DAY) * DAY).toISOString();
