import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import type { DetectorRecord } from '#shared/detection/settings/detector_records.ts';
import { DurationField } from '#api/dashboard/browser/parts/duration_field.tsx';
import { Choice, Form, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { SettingsPreview } from './settings_preview.tsx';
import { ByBudget, ParameterFields } from './parameter_fields.tsx';

type DetectorSettings = BodyOf<'PUT /v1/detectors/{name}'>;

type Severity = DetectorRecord['severity_floor'];
const severities = [
  ['low', 'Low'],
  ['medium', 'Medium'],
  ['high', 'High'],
  ['critical', 'Critical'],
] as const;

/** Sets a detector: all of it at once, as the API takes it. */
export function DetectorSettingsForm({ of, done }: { of: DetectorRecord; done: () => void }) {
  const { enabled, shadow, severity_floor, cooldown_s, params } = of;
  const [draft, setDraft] = useState<Required<DetectorSettings>>({
    enabled,
    shadow,
    severity_floor,
    cooldown_s,
    params,
  });
  const [opened] = useState(of.updated_at);
  const { run, busy, problem } = useChange('PUT /v1/detectors/{name}');
  const put = (changed: DetectorSettings) => setDraft(now => ({ ...now, ...changed }));
  const send = async () => {
    if (await run({ params: { name: of.name }, body: draft })) done();
  };
  return (
    <div class="with-preview">
      <Form send={send} busy={busy} problem={problem} button="Save changes" cancel={done}>
        <p class="quiet">Changes apply to new events. Existing alerts do not change.</p>
        {of.updated_at !== opened && !busy && (
          <p class="note" role="status">
            These settings were changed while you were editing. Cancel to review them; saving replaces them.
          </p>
        )}
        <Tick
          label="Enabled"
          hint="A disabled detector analyzes nothing."
          value={draft.enabled}
          set={on => put({ enabled: on })}
        />
        <Tick
          label="Shadow mode"
          hint="Raises no alerts. Findings are listed on the detector’s page."
          value={draft.shadow}
          set={on => put({ shadow: on })}
        />
        <Choice
          label="Minimum severity"
          hint="Less severe findings are listed on the detector’s page."
          value={draft.severity_floor}
          set={severity => put({ severity_floor: severity as Severity })}
          of={severities}
        />
        <DurationField
          label="Cooldown after closing"
          hint="Similar findings raise no alert for this long after one is closed; they are listed as suppressed."
          seconds={draft.cooldown_s}
          set={seconds => put({ cooldown_s: seconds })}
          problem={problem?.at('/cooldown_s')}
        />
        {of.learned?.by === 'rarity' && <ByBudget />}
        <ParameterFields
          schema={of.params_schema}
          values={draft.params}
          defaults={of.defaults}
          set={(name, value) => setDraft(now => ({ ...now, params: { ...now.params, [name]: value } }))}
          problemAt={name => problem?.at(`/params/${name}`)}
        />
      </Form>
      <SettingsPreview of={of} params={draft.params} />
    </div>
  );
}
