import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';

/** An address of no page. */
export const NotFound = () => (
  <Page title="Page not found">
    <Empty title="Check the address, or go back to the overview.">
      <p>
        <a href="/">Go to the overview</a>
      </p>
    </Empty>
  </Page>
);
