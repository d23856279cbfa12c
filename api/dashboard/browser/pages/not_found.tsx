import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';

/** An address of no page. */
export const NotFound = () => (
  <Page title="There is no such page">
    <Empty title="The address may be mistyped, or of something that was removed.">
      <p>
        <a href="/">Go to the overview</a>
      </p>
    </Empty>
  </Page>
);
