import type { Lesson } from '#shared/casework/lesson.ts';
import { countText } from './format.ts';
import { PayeeName } from './names.tsx';

/** What the alerts that a lesson was learned from had alike. */
export const LessonAspect = ({ of: { aspect, subject } }: { of: Lesson }) => {
  if (aspect === 'payee')
    return (
      <>
        what it pays <PayeeName id={subject} />
      </>
    );
  const [from = '', to = ''] = subject.split('-');
  return (
    <>
      what it does from {from}:00 to {to}:00 UTC
    </>
  );
};

/** How a factor of a lesson weighs: `3 times as common`. */
export function weightText(factor: number): string {
  if (factor === 1) return 'as common as its record says';
  const times = Number((factor > 1 ? factor : 1 / factor).toFixed(1));
  return `${countText(times)} times as ${factor > 1 ? 'common' : 'rare'}`;
}

/** How many alerts taught it: `2 dismissed, 1 resolved`. */
export const taughtText = ({ dismissals, resolutions }: Lesson): string =>
  [dismissals > 0 && `${countText(dismissals)} dismissed`, resolutions > 0 && `${countText(resolutions)} resolved`]
    .filter(Boolean)
    .join(', ');
