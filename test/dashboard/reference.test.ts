import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
import { world } from '#test/helpers/world.ts';

browserTest('the API reference is accessible, folded and open, and asks nobody else', async t => {
  const { api } = await world(t);
  const { page, quiet, check } = await openWindow(t, api.address, { viewport: phone });
  await page.goto('/docs#/Events/listEvents');
  const operation = page.locator('#operations-Events-sendEvents');
  await page.locator('#operations-Events-listEvents .opblock-body').waitFor();
  await operation.getByRole('button', { name: /^POST/ }).click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).waitFor();
  // The others are made alike, and axe takes its time over each.
  await page.evaluate(
    "for (const tag of [...document.querySelectorAll('.opblock-tag-section')].slice(1)) tag.style.display = 'none'",
  );
  await check('/docs', ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']);
  quiet();
});
