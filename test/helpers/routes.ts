import { routes } from '#api/routes/index.ts';
import type { Route } from '#api/route.ts';
import { idPrefixes } from '#shared/ids.ts';

/** A ULID that nothing has. */
export const NOBODY = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** The routes that need a credential. */
export const guarded = routes.filter(route => route.access !== 'public');

/** `GET /v1/events/{id}`: how a route is named in a title. */
export const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

/** The path of a route with `id` in it; without one, a well-formed id that names nothing. */
export function pathOf(route: Route, id?: string): string {
  return route.path.replaceAll(/\{\w+\}/g, () => id ?? unusedId(route));
}

/** An id of the kind this route takes, which names nothing. */
export function unusedId(route: Route): string {
  const prefix = Object.values(idPrefixes).find(
    candidate => route.params?.safeParse({ id: `${candidate}_${NOBODY}` }).success,
  );
  if (!prefix) throw new Error(`${nameOf(route)} takes no id that is known here`);
  return `${prefix}_${NOBODY}`;
}
