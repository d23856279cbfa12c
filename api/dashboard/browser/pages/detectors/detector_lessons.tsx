import { useState } from 'preact/hooks';
import type { Lesson } from '#shared/casework/lesson.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { LessonAspect, taughtText, weightText } from '#api/dashboard/browser/parts/lessons.tsx';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { EVERY_MINUTE } from './detector_quality.tsx';

/** What people taught a detector by closing its alerts; whoever acts on alerts may have it forgotten. Of a rule only where there is some. */
export function DetectorLessons({ name, judgesConduct }: { name: string; judgesConduct: boolean }) {
  const { data: quality } = useReading('GET /v1/detectors/{name}/quality', { params: { name } }, EVERY_MINUTE);
  const { may } = useSession();
  const [forgetting, setForgetting] = useState<Lesson | null>(null);
  if (!quality || (!judgesConduct && quality.lessons.length === 0)) return null;
  const columns: Column<Lesson>[] = [
    {
      name: 'Behavior',
      show: lesson => (
        <>
          {lesson.agent_id === null ? 'Any agent' : <AgentName id={lesson.agent_id} />}
          <small class="quiet under">
            <LessonAspect of={lesson} />
          </small>
        </>
      ),
    },
    { name: 'Counts as', show: ({ factor }) => weightText(factor) },
    {
      name: 'Owner’s other agents',
      show: ({ peers_factor }) => (peers_factor === null ? '–' : weightText(peers_factor)),
      from: 'wide',
    },
    { name: 'Based on', show: taughtText, from: 'middle' },
    { name: 'Last updated', show: ({ last_at }) => <Time at={last_at} ago />, from: 'middle' },
    {
      name: 'Forget',
      unnamed: true,
      align: 'end',
      show: lesson =>
        may('act') && (
          <button
            type="button"
            class="plain"
            aria-label={`Forget: ${taughtText(lesson)}, ${weightText(lesson.factor)}`}
            onClick={() => setForgetting(lesson)}
          >
            Forget
          </button>
        ),
    },
  ];
  return (
    <Section title="Learned from feedback">
      {quality.lessons.length === 0 ? (
        <p class="quiet">
          Nothing yet. After you dismiss an alert, similar behavior counts as more common for that agent and, to a
          lesser degree, for its owner’s other agents. After you resolve one, it counts as rarer.
        </p>
      ) : (
        <Table
          caption="Learned from feedback, newest first"
          columns={columns}
          rows={quality.lessons}
          idOf={({ id }) => id}
        />
      )}
      {forgetting && <Forget name={name} lesson={forgetting} close={() => setForgetting(null)} />}
    </Section>
  );
}

function Forget({ name, lesson, close }: { name: string; lesson: Lesson; close: () => void }) {
  const { run, busy, problem } = useChange('DELETE /v1/detectors/{name}/lessons/{id}');
  return (
    <Confirm
      title="Forget feedback"
      button="Forget feedback"
      act={() => run({ params: { name, id: lesson.id } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>
        From the next event on, the detector ignores this feedback: <LessonAspect of={lesson} />. The alerts themselves
        do not change.
      </p>
    </Confirm>
  );
}
