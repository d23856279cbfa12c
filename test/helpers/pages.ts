import type { ExecutionContext } from 'ava';
import { type DashboardPath, dashboardPaths } from '#api/dashboard/paths.ts';
import { desktop, openWindow, phone } from './chromium.ts';
import { inhabit } from './inhabit.ts';
import { isTurnOf, turnOf } from './runs.ts';
import { world } from './world.ts';

/** The prefix of the ids that each page of one record takes. */
export const prefixes: Partial<Record<DashboardPath, string>> = {
  '/incidents/:id': 'inc_',
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
  '/sources/:id': 'src_',
};

/** The address of a page; of one record, it is that of one of these ids. */
export const pageOf = (path: DashboardPath, ids: readonly string[]): string =>
  path.replace(':name', 'velocity_count').replace(':id', () => {
    const id = ids.find(known => known.startsWith(prefixes[path] ?? 'none'));
    if (!id) throw new Error(`no record for ${path}`);
    return id;
  });

/** Every page but the one for signing in. */
export const pages = dashboardPaths.filter(path => path !== '/sign-in');

/**
 * Holds these pages, of an organization with one of everything or of an empty one, to what a page has to be: on a desktop, where there
 * is nothing to see by turns, and where there is also in the dark or on a phone, by turns (all of it in `npm run test:deep`).
 */
export async function visitAll(t: ExecutionContext, paths: readonly DashboardPath[], { full }: { full: boolean }) {
  const here = await world(t);
  const { ids } = full ? await inhabit(here) : { ids: [] };
  const { cookie } = await here.person('owner');
  const { page, visit, check, quiet } = await openWindow(t, here.api.address, { cookie });
  for (const [index, path] of paths.entries()) {
    await visit(pageOf(path, ids));
    t.is(await page.getByRole('alert').count(), 0, path);
    // What is empty looks much alike.
    if (full || isTurnOf(index, 3)) await check(path);
    if (!full) continue;
    const more = turnOf(['dark', 'phone'], index, 2);
    if (more.includes('dark')) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await check(`${path} in the dark`, ['color-contrast']);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    if (more.includes('phone')) {
      await page.setViewportSize(phone);
      await check(`${path} on a phone`);
      const tables = page.locator('.table-frame').filter({ visible: true });
      const cut = await tables.evaluateAll(all => all.map(table => table.scrollWidth - table.clientWidth));
      t.true(Math.max(0, ...cut) < 2, `${path} cuts a table off on a phone: ${cut.join()}`);
      await page.setViewportSize(desktop);
    }
  }
  quiet();
}
