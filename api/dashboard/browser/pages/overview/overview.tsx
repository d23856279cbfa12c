import { Checklist } from '#api/dashboard/browser/pages/get_started/checklist.tsx';
import { FirstSteps } from '#api/dashboard/browser/parts/first_steps.tsx';
import { Page } from '#api/dashboard/browser/parts/page.tsx';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { Attention } from './attention.tsx';
import { BusyAgents } from './busy_agents.tsx';
import { Trends } from './trends.tsx';

/** What needs somebody now, and how the last hours or days were. To a newcomer: the first steps. */
export function Overview() {
  const { data: log } = useReading('GET /v1/log', {}, SLOW);
  // What there is to show is asked for at once, and not only when it is known that there is something.
  return (
    <Page title="Overview">
      {log?.size === 0 ? (
        <>
          <FirstSteps />
          <Checklist />
        </>
      ) : (
        <>
          <Attention />
          <Trends />
          <BusyAgents />
        </>
      )}
    </Page>
  );
}
