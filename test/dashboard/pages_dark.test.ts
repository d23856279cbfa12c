import { browserTest, desktop } from '#test/helpers/chromium.ts';
import { visitAll } from '#test/helpers/pages.ts';

browserTest('every page can be read by everybody, on a desktop in the dark', t =>
  visitAll(t, { viewport: desktop, dark: true, full: true }),
);
