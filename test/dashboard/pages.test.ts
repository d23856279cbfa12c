import type { ExecutionContext } from 'ava';
import { type DashboardPath, dashboardPaths } from '#api/dashboard/paths.ts';
import { browserTest, desktop, openWindow, phone } from '#test/helpers/chromium.ts';
import { inhabit } from '#test/helpers/inhabit.ts';
import { world } from '#test/helpers/world.ts';

/** The prefix of the ids that each page of one record takes. */
const prefixes: Partial<Record<DashboardPath, string>> = {
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

const pages = dashboardPaths.filter(path => path !== '/sign-in');

async function visitAll(
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

for (const [name, viewport, dark] of [
  ['on a desktop', desktop, false],
  ['on a desktop in the dark', desktop, true],
  ['on a phone', phone, false],
] as const)
  browserTest(`every page can be read by everybody, ${name}`, t => visitAll(t, { viewport, dark, full: true }));

browserTest('every list says what to do where there is nothing', t =>
  visitAll(t, { viewport: desktop, dark: false, full: false }),
);

browserTest('a page of nothing, and a record that is not there, say so', async t => {
  const { api, person } = await world(t);
  const { page, expects, check, quiet } = await openWindow(t, api.address, { cookie: (await person('owner')).cookie });
  expects(404);
  for (const path of pages.filter(path => path.includes(':id'))) {
    const id = `${prefixes[path] ?? 'whe_'}01M7W819QAN7QFECMNE6055DSM`;
    await page.goto(path.replace(':id', id));
    await page.getByRole('alert').first().waitFor();
    await check(path);
  }
  quiet();
});
