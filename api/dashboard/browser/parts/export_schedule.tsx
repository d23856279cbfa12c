import { useState } from 'preact/hooks';
import type { ExportFormat, ExportKind } from '#shared/exports/store/exports.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { capitalized } from './format.ts';
import { Choice, Form } from './form.tsx';
import { Time } from './values.tsx';

/** Has the records of a kind be exported by the hour, and shows how far that is. */
export function ExportScheduleSection({ kind, noun }: { kind: ExportKind; noun: string }) {
  const { data } = useReading('GET /v1/export-schedules', { query: {} });
  const { run, busy, problem } = useChange('PUT /v1/export-schedules/{kind}');
  const [chosen, setChosen] = useState<string | null>(null);
  if (!data) return null;
  const schedule = data.data.find(each => each.kind === kind);
  const stored = schedule?.state === 'active' ? schedule.format : '';
  const format = chosen ?? stored;
  const save = () =>
    run({
      params: { kind },
      body:
        format === ''
          ? { format: schedule?.format ?? 'ndjson', state: 'paused' }
          : { format: format as ExportFormat, state: 'active' },
    }).then(saved => saved && setChosen(null));
  return (
    <section aria-label="Hourly export">
      <h3>Hourly export to storage</h3>
      <Form send={save} busy={busy || format === stored} problem={problem} button="Save">
        <Choice
          label="Format"
          hint={`${capitalized(noun)} created or changed in the past hour, written at :05.`}
          value={format}
          set={setChosen}
          none="Off"
          of={[
            ['csv', 'CSV, compressed'],
            ['ndjson', 'NDJSON, compressed'],
            ['parquet', 'Parquet'],
          ]}
        />
        {schedule && (
          <p class="quiet">
            {schedule.state === 'paused' && 'Paused. '}
            {schedule.written_at === null ? 'Begins with the hour of ' : 'Written until '}
            <Time at={schedule.next_hour} />, in <code>{schedule.folder}</code>
          </p>
        )}
        {schedule?.error && (
          <p class="wrong" role="status">
            The hour of <Time at={schedule.next_hour} /> is not written: {schedule.error}
          </p>
        )}
      </Form>
    </section>
  );
}
