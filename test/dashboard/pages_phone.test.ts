import { browserTest, phone } from '#test/helpers/chromium.ts';
import { visitAll } from '#test/helpers/pages.ts';

browserTest('every page can be read by everybody, on a phone', t =>
  visitAll(t, { viewport: phone, dark: false, full: true }),
);
