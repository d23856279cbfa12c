import { useState } from 'preact/hooks';
import type { AlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Tile } from '#api/dashboard/browser/parts/tile.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

/** How many false alarms are asked for, what became of that in the last 30 days, and for whoever may, a form to change it. */
export function AlertBudgetPart() {
  const reading = useReading('GET /v1/alert-budget', {}, SLOW);
  const { may } = useSession();
  const [editing, setEditing] = useState(false);
  const actions = may('configure') && reading.data && !editing && (
    <button type="button" onClick={() => setEditing(true)}>
      Edit budget
    </button>
  );
  return (
    <Section title="Alert budget" actions={actions}>
      <Loaded reading={reading}>
        {budget => (
          <>
            <Outcome of={budget} />
            {editing && (
              <div class="more">
                <BudgetForm of={budget} done={() => setEditing(false)} />
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const rateText = (rate: number | null) => (rate === null ? '–' : countText(rate));

function Outcome({ of: { per_agent_month, updated_at, last_30_days } }: { of: AlertBudget }) {
  const { alerts, open, resolved, dismissed, agents, agent_months } = last_30_days;
  return (
    <>
      <div class="tiles">
        <Tile name="False alarm budget, per agent and month" value={countText(per_agent_month)} />
        <Tile name="Behavioral alerts, per agent and month" value={rateText(last_30_days.alerts_per_agent_month)} />
        <Tile name="Dismissed, per agent and month" value={rateText(last_30_days.dismissed_per_agent_month)} />
      </div>
      <p class="quiet">
        Behavioral detectors share this budget. They raise an alert only for behavior rare enough for the agent to stay
        within it. Last 30 days: {countText(alerts)} {alerts === 1 ? 'alert' : 'alerts'}, {countText(open)} open,{' '}
        {countText(resolved)} resolved, {countText(dismissed)} dismissed; {countText(agents)}{' '}
        {agents === 1 ? 'agent' : 'agents'}, {countText(Number(agent_months.toFixed(1)))} agent-months
        {agent_months < 1 && ' (too few for a rate)'}.{' '}
        {updated_at ? (
          <>
            Budget set <Time at={updated_at} ago />.
          </>
        ) : (
          'Default budget.'
        )}
      </p>
    </>
  );
}

function BudgetForm({ of, done }: { of: AlertBudget; done: () => void }) {
  const [typed, setTyped] = useState(String(of.per_agent_month));
  const { run, busy, problem } = useChange('PUT /v1/alert-budget');
  const send = async () => {
    if (await run({ body: { per_agent_month: Number(typed) } })) done();
  };
  return (
    <Form send={send} busy={busy} problem={problem} button="Save changes" cancel={done}>
      <TextField
        label="False alarms per agent and month"
        hint="From 0.01 to 10. A value of 0.1 allows one false alarm per agent in ten months. Applies to new events; existing alerts do not change."
        value={typed}
        set={setTyped}
        required
        problem={problem?.at('/per_agent_month')}
      />
    </Form>
  );
}
