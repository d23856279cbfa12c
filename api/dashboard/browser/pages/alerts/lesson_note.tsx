import type { AlertDetail } from '#shared/casework/alerts.ts';
import { LessonAspect, weightText } from '#api/dashboard/browser/parts/lessons.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';

/** What closing an alert taught, in a line; nothing where it taught nothing. */
export const LessonNote = ({ alert: { lesson, detector } }: { alert: AlertDetail }) =>
  lesson && (
    <p class="note">
      What the detector learned: <LessonAspect of={lesson} /> now count as <strong>{weightText(lesson.factor)}</strong>{' '}
      for {lesson.agent_id === null ? 'every agent' : 'this agent'}
      {lesson.peers_factor !== null &&
        lesson.peers_factor !== 1 &&
        ` and as ${weightText(lesson.peers_factor)} for other agents of the same owner`}
      . Manage it in <a href={`/detectors/${detector}`}>{wordsOf(detector)}</a>.
    </p>
  );
