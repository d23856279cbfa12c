import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { DetectorRecord } from '#shared/detection/settings/detector_records.ts';
import { Form } from '#api/dashboard/browser/parts/form.tsx';
import { LocalTimeField } from '#api/dashboard/browser/parts/time_field.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { ParameterFields } from './parameter_fields.tsx';

const WEEK = 7 * 24 * 3_600_000;

/** Begins a back-test of a detector, with its parameters of now or with others. */
export function NewBacktest({ of, done }: { of: DetectorRecord; done: () => void }) {
  const { route } = useLocation();
  const [from, setFrom] = useState<string | null>(() => new Date(Date.now() - WEEK).toISOString());
  const [to, setTo] = useState<string | null>(() => new Date().toISOString());
  const [params, setParams] = useState(of.params);
  const { run, busy, problem } = useChange('POST /v1/detectors/{name}/backtest');
  const send = async () => {
    const backtest = await run({ params: { name: of.name }, body: { from: from ?? '', to: to ?? '', params } });
    if (backtest) route(`/backtests/${backtest.id}`);
  };
  return (
    <Form send={send} busy={busy} problem={problem} button="Run back-test" cancel={done}>
      <p class="quiet">
        Runs the detector on up to 1,000,000 past events and counts the alerts it would have raised. No alerts are
        raised and no settings change.
      </p>
      <div class="field-row">
        <LocalTimeField label="From" at={from} set={setFrom} required problem={problem?.at('/from')} />
        <LocalTimeField label="To" at={to} set={setTo} required problem={problem?.at('/to')} />
      </div>
      <ParameterFields
        schema={of.params_schema}
        values={params}
        defaults={of.defaults}
        set={(name, value) => setParams(now => ({ ...now, [name]: value }))}
        problemAt={name => problem?.at(`/params/${name}`)}
      />
    </Form>
  );
}
