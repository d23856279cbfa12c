import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { Empty, Page } from './page.tsx';

/** What is shown of a page, or, where it throws, that it is broken: what stands around it stays, and other pages can be opened. */
export function Sound({ children }: { children: ComponentChildren }) {
  const { url } = useLocation();
  const [error, reset] = useErrorBoundary(thrown => reportError(thrown)) as [unknown, () => void];
  useEffect(() => {
    if (error) reset();
  }, [url]);
  if (!error) return <>{children}</>;
  return (
    <Page title="Something went wrong">
      <Empty title="This page could not be displayed.">
        <p>
          Reload it, or <a href="/">go to the overview</a>. No data was lost.
        </p>
      </Empty>
    </Page>
  );
}
