import type { BodyOf } from '#api/client/call.ts';
import { Choice, Field, Tick, typeOf } from '#api/dashboard/browser/parts/form.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { zonesText } from '#shared/values/time.ts';
import type { NotificationSettings } from '#shared/people/notification_settings.ts';
import { NotificationWebhook } from './notification_webhook.tsx';

const severities: Record<NotificationSettings['incidents'], string> = {
  critical: 'Critical only',
  high: 'High and above',
  medium: 'Medium and above',
  low: 'All',
  off: 'None',
};

const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What the reader is notified of in this organization, when, and where. */
export function Notifications() {
  const reading = useReading('GET /v1/me/notifications', {}, STILL);
  const { run, problem } = useChange('PUT /v1/me/notifications');
  return (
    <Section title="Notifications">
      <ProblemNote problem={problem} />
      <Loaded reading={reading}>
        {settings => {
          const { incidents, assignments, mentions, digest, time_zone, quiet_hours } = settings;
          const set = (changed: Partial<BodyOf<'PUT /v1/me/notifications'>>) =>
            void run({ body: { time_zone: digest || quiet_hours ? time_zone : zoneHere, ...changed } });
          return (
            <div class="form">
              <Choice
                label="New incidents"
                value={incidents}
                of={Object.entries(severities)}
                set={chosen => set({ incidents: chosen as NotificationSettings['incidents'] })}
              />
              <Tick
                label="Incidents and cases assigned to me"
                value={assignments}
                set={on => set({ assignments: on })}
              />
              <Tick
                label="Comments that mention me"
                hint="With @ and your name or email address."
                value={mentions}
                set={on => set({ mentions: on })}
              />
              <Tick
                label="Daily summary"
                hint={`Open incidents, and what is assigned to you, at 8:00 (${zonesText(digest || quiet_hours ? time_zone : zoneHere)}).`}
                value={digest}
                set={on => set({ digest: on })}
              />
              <Tick
                label="Quiet hours"
                hint="Notifications wait until these end."
                value={quiet_hours !== null}
                set={on => set({ quiet_hours: on ? { from: '22:00', to: '07:00' } : null })}
              />
              {quiet_hours && (
                <div class="field-row">
                  <TimeOfDay
                    label="From"
                    value={quiet_hours.from}
                    set={from => set({ quiet_hours: { ...quiet_hours, from } })}
                  />
                  <TimeOfDay
                    label="To"
                    value={quiet_hours.to}
                    set={to => set({ quiet_hours: { ...quiet_hours, to } })}
                  />
                  <p class="quiet">
                    {zonesText(time_zone)}
                    {time_zone !== zoneHere && (
                      <>
                        {' '}
                        <button type="button" class="link" onClick={() => set({ time_zone: zoneHere })}>
                          Use {zonesText(zoneHere)}
                        </button>
                      </>
                    )}
                  </p>
                </div>
              )}
              <NotificationWebhook host={settings.webhook_host} />
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

const TimeOfDay = ({ label, value, set }: { label: string; value: string; set: (value: string) => void }) => (
  <Field label={label}>
    {tie => (
      <input
        {...tie}
        {...typeOf('time')}
        value={value}
        required
        onChange={event => event.currentTarget.value && set(event.currentTarget.value)}
      />
    )}
  </Field>
);
