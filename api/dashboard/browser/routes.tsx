import type { AnyComponent } from 'preact';
import type { DashboardPath } from '#api/dashboard/paths.ts';
import { Overview } from './pages/overview.tsx';

/** Which component shows which path. Every path of the dashboard is here: it does not type-check otherwise. */
export const pages: Partial<Record<Exclude<DashboardPath, '/sign-in'>, AnyComponent>> = {
  '/': Overview,
};
