import { Choice, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import type { NotificationSettings } from '#shared/people/notification_settings.ts';

const severities: Record<NotificationSettings['incidents'], string> = {
  critical: 'Critical only',
  high: 'High and above',
  medium: 'Medium and above',
  low: 'All',
  off: 'None',
};

/** What the reader is emailed about, in this organization. */
export function Notifications() {
  const known = useReading('GET /v1/me/notifications', {}, STILL);
  const { run, problem } = useChange('PUT /v1/me/notifications');
  return (
    <Section title="Email notifications">
      <ProblemNote problem={problem} />
      <Loaded known={known}>
        {settings => {
          const set = (changed: Partial<NotificationSettings>) => void run({ body: { ...settings, ...changed } });
          return (
            <>
              <Choice
                label="New incidents"
                value={settings.incidents}
                of={Object.entries(severities)}
                set={incidents => set({ incidents: incidents as NotificationSettings['incidents'] })}
              />
              <Tick
                label="Cases assigned to me"
                value={settings.assignments}
                set={assignments => set({ assignments })}
              />
              <Tick
                label="Comments that mention me"
                hint="With @ and your name or email address."
                value={settings.mentions}
                set={mentions => set({ mentions })}
              />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
