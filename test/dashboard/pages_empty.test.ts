import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { pages, prefixes, visitAll } from '#test/helpers/pages.ts';
import { isTurnOf } from '#test/helpers/runs.ts';
import { world } from '#test/helpers/world.ts';

browserTest('every list says what to do where there is nothing', t =>
  visitAll(
    t,
    pages.filter(path => !path.includes(':')),
    { full: false },
  ),
);

browserTest('a page of nothing, and a record that is not there, say so', async t => {
  const { api, person } = await world(t);
  const { page, expects, check, quiet } = await openWindow(t, api.address, { cookie: (await person('owner')).cookie });
  expects(404);
  for (const [index, path] of pages.filter(each => each.includes(':id')).entries()) {
    const id = `${prefixes[path] ?? 'whe_'}01M7W819QAN7QFECMNE6055DSM`;
    await page.goto(path.replace(':id', id));
    await page.getByRole('alert').first().waitFor();
    if (isTurnOf(index, 3)) await check(path);
  }
  quiet();
});
