import type { Route } from '#api/route.ts';
import { roles } from '#shared/interface/roles.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { askFor, idFor, recordRoutes } from '#test/helpers/inhabit.ts';
import { takesScope, tableSays } from '#test/helpers/permission_table.ts';
import { exampleBody, guarded, nameOf, pathOf, unusedId } from '#test/helpers/routes.ts';
import type { Place, Side } from './place.ts';
import { note, type Tally } from './tally.ts';

const json = { 'content-type': 'application/json' };

/** Every record of one organization, asked for by the other: in the path, in the body, and as a filter. */
export async function tenancy({ us, them, ask, crew }: Place, tally: Tally): Promise<void> {
  for (const [mine, theirs] of [
    [us, them],
    [them, us],
  ] as const) {
    const headersOf = await shownBy(mine, crew.address);
    for (const route of recordRoutes) {
      const foreign = theirs.ids.filter(id => !mine.ids.includes(id) && isTakenBy(route, id));
      for (const id of foreign) {
        tally.requests += 1;
        const { status } = await askFor(mine.clientOf(route), route, id, mine.ids);
        if (status >= 500) note(tally, 'errors', `${status} ${nameOf(route)} ${id}`);
        if (status !== 404) note(tally, 'leaks', `${nameOf(route)} answers ${status} to a foreign ${id}`);
      }
    }
    for (const route of guarded) {
      const method = route.method.toUpperCase();
      const headers = { ...headersOf(route), ...json };
      const path = pathOf(route, idFor(route, mine.ids), mine.ids);
      // Whatever it refers to is the other organization's.
      if (route.body && route.method !== 'delete') {
        const body = Buffer.from(JSON.stringify(exampleBody(route, theirs.ids)));
        await ask(tally, { method, path, headers, body }, mine);
      }
      const filters =
        route.method === 'get' ? Object.keys(route.query?.shape ?? {}).filter(name => name !== 'wait') : [];
      const queries = filters.flatMap(name => theirs.ids.map(id => `${name}=${encodeURIComponent(id)}`));
      for (const query of queries)
        await ask(tally, { method, path: `${path}?${query}`, headers, body: undefined }, mine);
    }
  }
}

/** Every route by every scope and role, and by nobody, over HTTP: refused where the table refuses, and let pass where it does not. */
export async function permissions({ us, ask, crew, bench }: Place, tally: Tally): Promise<void> {
  const { environment } = bench.services.config;
  const check = async (route: Route, shown: Record<string, string>, who: string, passes: boolean) => {
    const sent = { method: route.method.toUpperCase(), path: pathOf(route), headers: shown, body: undefined };
    const { status } = await ask(tally, sent, us);
    if ([401, 403].includes(status) === passes) note(tally, 'leaks', `${nameOf(route)} answers ${status} to ${who}`);
  };
  for (const scope of allScopes) {
    const { key } = await us.newKey(us.tenant.org_id, [scope]);
    for (const route of guarded)
      await check(route, { authorization: `Bearer ${key}` }, scope, takesScope(route, scope));
  }
  for (const role of roles)
    for (const second_factor of ['shown', 'needed'] as const) {
      const { user } = await us.newPerson(role, { second_factor: true });
      for (const route of guarded) {
        // Signing out ends a session: each request gets one of its own.
        const { cookie } = await us.people.session(user.id, us.tenant.org_id, second_factor === 'shown');
        const passes = tableSays(route, { role, second_factor }, environment);
        await check(route, { cookie, origin: crew.address }, `${role}, ${second_factor}`, passes);
      }
    }
  for (const route of guarded) await check(route, {}, 'nobody', false);
}

/** Whether a route's first parameter is of this kind of id. */
const isTakenBy = (route: Route, id: string) => {
  const unused = unusedId(route);
  return /^[a-z]{3}_/.test(unused) ? id.startsWith(unused.slice(0, 4)) : !/^[a-z]{3}_[0-9A-Z]{26}$/.test(id);
};

async function shownBy(side: Side, origin: string) {
  const { key } = await side.newKey(side.tenant.org_id);
  const { cookie } = await side.newPerson('owner', { second_factor: true });
  return (route: Route): Record<string, string> =>
    route.access !== 'public' && route.access.scopes === undefined
      ? { cookie, origin }
      : { authorization: `Bearer ${key}` };
}
