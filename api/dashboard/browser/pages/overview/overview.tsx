import { getLog } from '#api/client/generated.ts';
import { FirstSteps } from '../../parts/first_steps.tsx';
import { Loaded, Page } from '../../parts/page.tsx';
import { SLOW, useReading } from '../../reading/use_reading.ts';
import { Attention } from './attention.tsx';
import { BusyAgents } from './busy_agents.tsx';
import { Trends } from './trends.tsx';

/** What needs somebody now, and how the last hours or days were. To a newcomer: the first steps. */
export function Overview() {
  const log = useReading(getLog, {}, SLOW);
  return (
    <Page title="Overview">
      <Loaded known={log}>
        {({ size }) =>
          size === 0 ? (
            <FirstSteps />
          ) : (
            <>
              <Attention />
              <Trends />
              <BusyAgents />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
