import { browserTest } from '#test/helpers/chromium.ts';
import { pages, visitAll } from '#test/helpers/pages.ts';

browserTest('every page of a list or of settings can be read by everybody: on a desktop, in the dark, on a phone', t =>
  visitAll(
    t,
    pages.filter(path => !path.includes(':')),
    { full: true },
  ),
);
