import { Page } from '../parts/page.tsx';

/** What happened lately. */
export const Overview = () => <Page title="Overview">…</Page>;
