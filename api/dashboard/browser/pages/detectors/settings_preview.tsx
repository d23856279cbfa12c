import { useState } from 'preact/hooks';
import type { DetectorRecord } from '#shared/detection/settings/detector_records.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, percentText } from '#api/dashboard/browser/parts/format.ts';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

const DAYS = 7;
const DAY = 24 * 3_600_000;

/** What a detector would have found in the last week with the settings that are being edited, beside what it did. */
export function SettingsPreview({ of, params }: { of: DetectorRecord; params: DetectorRecord['params'] }) {
  const { run, busy, problem } = useChange('POST /v1/detectors/{name}/backtest');
  const [tried, setTried] = useState<{ id: string; params: string } | null>(null);
  const [done, setDone] = useState(false);
  const { data } = useReading('GET /v1/backtests/{id}', tried && { params: { id: tried.id } }, done ? STILL : 1_000);
  const isDone = data?.state === 'done' || data?.state === 'failed';
  if (isDone !== done) setDone(isDone);
  const begin = async () => {
    const now = Date.now();
    const body = { from: new Date(now - DAYS * DAY).toISOString(), to: new Date(now).toISOString(), params };
    const made = await run({ params: { name: of.name }, body });
    if (made) setTried({ id: made.id, params: JSON.stringify(params) });
  };
  return (
    <aside class="preview" aria-label="Preview">
      <h3>Preview</h3>
      <p class="quiet">What these settings would have found in the last {DAYS} days. Nothing is raised or saved.</p>
      <button type="button" disabled={busy || (tried !== null && !isDone)} onClick={() => void begin()}>
        {tried ? 'Preview again' : 'Preview'}
      </button>
      <ProblemNote problem={problem} />
      <div role="status">
        {data && !isDone && (
          <p>
            <progress max={1} value={data.progress} aria-label="Progress" /> {percentText(data.progress)}
          </p>
        )}
        {data?.state === 'failed' && <p class="problem">{data.error ?? 'The preview failed.'}</p>}
        {data?.state === 'done' && (
          <>
            {tried?.params !== JSON.stringify(params) && <p class="note">Settings have changed since this preview.</p>}
            <p class="preview-count">
              <strong>{countText(data.findings)}</strong> {data.findings === 1 ? 'alert' : 'alerts'}{' '}
              <span class="quiet">in {countText(data.events)} events</span>
            </p>
            <Raised of={of} from={data.from} to={data.to} />
            <ul class="plain-list">
              {data.sample.slice(0, 5).map(({ event_id, subject, title, severity }) => (
                <li key={`${event_id} ${subject}`}>
                  <Badge of={severity} /> <a href={`/events/${event_id}`}>{isolated(title)}</a>
                </li>
              ))}
            </ul>
            <a href={`/backtests/${data.id}`}>Full back-test</a>
          </>
        )}
      </div>
    </aside>
  );
}

/** What was raised in that time, with the settings of then. */
function Raised({ of: { name }, from, to }: { of: DetectorRecord; from: string; to: string }) {
  const { data } = useReading('GET /v1/detectors/{name}/quality', { params: { name }, query: { from, to } }, STILL);
  return <p class="quiet">{data ? `${countText(data.alerts)} raised in that time` : <>&nbsp;</>}</p>;
}
