import { useLocation } from 'preact-iso';
import { FirstSteps } from '#api/dashboard/browser/parts/first_steps.tsx';
import { Page } from '#api/dashboard/browser/parts/page.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { Checklist, hideChecklist } from './checklist.tsx';

/** Where a new organization begins: the first event, and what else makes the watching whole. */
export function GetStarted() {
  const { data: log } = useReading('GET /v1/log', {});
  const { me } = useSession();
  const { route } = useLocation();
  const hide = () => {
    hideChecklist(me.organization.id);
    route('/');
  };
  return (
    <Page
      title="Get started"
      actions={
        <button type="button" onClick={hide}>
          Hide this guide
        </button>
      }
    >
      {log?.size === 0 && <FirstSteps />}
      <Checklist />
    </Page>
  );
}
