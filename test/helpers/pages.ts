import type { ExecutionContext } from 'ava';
import { type DashboardPath, dashboardPaths } from '#api/dashboard/paths.ts';
import { type desktop, openWindow } from './chromium.ts';
import { inhabit } from './inhabit.ts';
import { world } from './world.ts';

/** The prefix of the ids that each page of one record takes. */
export const prefixes: Partial<Record<DashboardPath, string>> = {
  '/alerts/:id': 'alr_',
  '/cases/:id': 'cas_',
  '/screenings/:id': 'scr_',
  '/events/:id': 'evt_',
  '/agents/:id': 'agt_',
  '/owners/:id': 'own_',
  '/payees/:id': 'pye_',
  '/packs/:id': 'pck_',
  '/mandates/:id': 'mnd_',
  '/backtests/:id': 'bkt_',
};

const pageOf = (path: DashboardPath, ids: readonly string[]): string =>
  path.replace(':name', 'velocity_count').replace(':id', () => {
    const id = ids.find(known => known.startsWith(prefixes[path] ?? 'none'));
    if (!id) throw new Error(`no record for ${path}`);
    return id;
  });

/** Every page but the one for signing in. */
export const pages = dashboardPaths.filter(path => path !== '/sign-in');

/** Holds every page, of an organization with one of everything or of an empty one, to what a page has to be. */
export async function visitAll(
  t: ExecutionContext,
  of: { viewport: typeof desktop; dark: boolean; full: boolean },
): Promise<void> {
  const here = await world(t);
  const { ids } = of.full ? await inhabit(here) : { ids: [] };
  const { cookie } = await here.person('owner');
  const { page, visit, check, quiet } = await openWindow(t, here.api.address, { ...of, cookie });
  for (const path of pages.filter(path => of.full || !/:/.test(path))) {
    await visit(pageOf(path, ids));
    t.is(await page.getByRole('alert').count(), 0, path);
    await check(path, of.dark ? ['color-contrast'] : undefined);
  }
  quiet();
}
