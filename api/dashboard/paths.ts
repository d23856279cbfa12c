/**
 * The pages of the dashboard: what the server answers with the page that loads it, and what the browser routes by. `:name` stands for
 * one part of a path.
 */
export const dashboardPaths = [
  '/',
  '/get-started',
  '/sign-in',
  '/incidents',
  '/incidents/:id',
  '/alerts',
  '/alerts/:id',
  '/cases',
  '/cases/:id',
  '/screenings',
  '/screenings/:id',
  '/events',
  '/events/:id',
  '/agents',
  '/agents/:id',
  '/owners',
  '/owners/:id',
  '/payees',
  '/payees/:id',
  '/packs',
  '/packs/:id',
  '/log',
  '/mandates',
  '/mandates/new',
  '/mandates/:id',
  '/detectors',
  '/detectors/:name',
  '/backtests/:id',
  '/sources',
  '/sources/:id',
  '/api-keys',
  '/ingestion',
  '/trusted-keys',
  '/webhooks',
  '/members',
  '/audit-log',
  '/erasures',
  '/account',
] as const;
export type DashboardPath = (typeof dashboardPaths)[number];

/** Whether the dashboard has a page at this path. `/sign-in/{token}` is not one of them: it works without a script. */
export const isDashboardPath = (path: string): boolean => patterns.test(path);

const patterns = new RegExp(`^(?:${dashboardPaths.map(path => path.replaceAll(/:\w+/g, '[^/]{1,200}')).join('|')})$`);
