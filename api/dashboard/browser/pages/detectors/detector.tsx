import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { DetectorRecord } from '#shared/detection/settings/detector_records.ts';
import { formatDuration } from '#shared/values/time.ts';
import { countText, dayText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { BacktestTable } from './backtest_table.tsx';
import { DetectorFindings } from './detector_findings.tsx';
import { DetectorLessons } from './detector_lessons.tsx';
import { DetectorQualityNote } from './detector_quality.tsx';
import { DetectorSettingsForm } from './detector_settings.tsx';
import { DetectorState } from './detectors.tsx';
import { NewBacktest } from './new_backtest.tsx';
import { ByBudget, nameOf, shownValue } from './parameter_fields.tsx';

/** One detector: its settings, the outcomes of its alerts, what it held back, and back-tests. */
export function DetectorPage() {
  const { params } = useRoute();
  const name = params['name'] ?? '';
  const reading = useReading('GET /v1/detectors/{name}', { params: { name } });
  const backtests = useReading('GET /v1/backtests', { query: { detector: name as never, limit: 20 } });
  const { may } = useSession();
  const [doing, setDoing] = useState<'edit' | 'test' | null>(null);
  const done = () => setDoing(null);
  const actions = may('configure') && reading.data && doing === null && (
    <>
      <a class="button" href={`/alerts?detector=${name}&state=any`}>
        View alerts
      </a>
      <button type="button" onClick={() => setDoing('test')}>
        Run back-test
      </button>
      <button type="button" class="main" onClick={() => setDoing('edit')}>
        Edit settings
      </button>
    </>
  );
  return (
    <Page title={wordsOf(name)} eyebrow={<a href="/detectors">Detectors</a>} actions={actions}>
      <Loaded reading={reading}>
        {detector => (
          <>
            <p>{detector.about}</p>
            <Section title={doing === 'test' ? 'Run back-test' : 'Settings'}>
              {doing === 'edit' && <DetectorSettingsForm of={detector} done={done} />}
              {doing === 'test' && <NewBacktest of={detector} done={done} />}
              {doing === null && <Settings of={detector} />}
            </Section>
            {detector.learned && <Learning learned={detector.learned} />}
            <DetectorQualityNote name={name} />
            <DetectorLessons name={name} judgesConduct={detector.learned !== null} />
            <DetectorFindings name={name} />
          </>
        )}
      </Loaded>
      {backtests.data && backtests.data.data.length > 0 && (
        <Section title="Back-tests">
          <BacktestTable of={backtests.data.data} />
        </Section>
      )}
    </Page>
  );
}

function Settings({ of }: { of: DetectorRecord }) {
  const params = Object.entries(of.params).map(([name, value]): [string, string] => [
    nameOf(name, of.params_schema),
    shownValue(name, value),
  ]);
  const isByBudget = of.learned?.by === 'rarity' && params.length > 0;
  return (
    <>
      <Facts
        of={[
          ['State', <DetectorState of={of} />],
          ['Minimum severity', wordsOf(of.severity_floor)],
          ['Cooldown after closing', formatDuration(of.cooldown_s * 1_000)],
          ...(isByBudget ? [] : params),
          ['Last changed', of.updated_at ? <Time at={of.updated_at} ago /> : 'Never'],
        ]}
      />
      {isByBudget && (
        <div class="more">
          <ByBudget />
          <Facts of={params} />
        </div>
      )}
    </>
  );
}

/** By what a detector of conduct judges, and how much it knows. */
const Learning = ({ learned }: { learned: NonNullable<DetectorRecord['learned']> }) => {
  const { by, budget, own_record_from_payments, agent_days, since } = learned;
  return (
    <Section title="Learning">
      <Facts
        of={[
          [
            'Raises alerts',
            by === 'rarity' ? (
              <>
                When behavior is rarer for the agent than the <a href="/detectors">alert budget</a> of{' '}
                {countText(budget)} allows
              </>
            ) : (
              'By the customized parameters'
            ),
          ],
          [
            'Own baseline',
            own_record_from_payments === null
              ? null
              : `From an agent’s payment number ${countText(own_record_from_payments)}`,
          ],
          [
            'Learned from',
            since === null
              ? 'Nothing yet'
              : `${countText(agent_days)} agent-days of a log that began on ${dayText(since)}`,
          ],
        ]}
      />
    </Section>
  );
};
