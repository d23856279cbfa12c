import type { AlertDetail } from '#shared/casework/alerts.ts';
import { LessonAspect, weightText } from '#api/dashboard/browser/parts/lessons.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';

/** What closing an alert taught, in a line; nothing where it taught nothing. */
export const LessonNote = ({ alert: { lesson, detector } }: { alert: AlertDetail }) =>
  lesson && (
    <p class="note">
      Learned from it: of {lesson.agent_id === null ? 'any agent' : 'this agent'}, <LessonAspect of={lesson} /> counts
      as <strong>{weightText(lesson.factor)}</strong> from now on
      {lesson.peers_factor !== null &&
        lesson.peers_factor !== 1 &&
        `, and of other agents of its owner as ${weightText(lesson.peers_factor)}`}
      . See or forget it at <a href={`/detectors/${detector}`}>{wordsOf(detector)}</a>.
    </p>
  );
