import type { Lesson } from '#shared/casework/lesson.ts';
import { countText } from './format.ts';
import { PayeeName } from './names.tsx';

/** What the alerts that a lesson was learned from had alike. */
export const LessonAspect = ({ of: { aspect, subject } }: { of: Lesson }) => {
  if (aspect === 'payee')
    return (
      <>
        Payments to <PayeeName id={subject} />
      </>
    );
  const [from = '', to = ''] = subject.split('-');
  return (
    <>
      Payments between {from}:00 and {to}:00 UTC
    </>
  );
};

/** How a factor of a lesson weighs: `3 times as common`. */
export function weightText(factor: number): string {
  if (factor === 1) return 'as common as recorded';
  const times = Number((factor > 1 ? factor : 1 / factor).toFixed(1));
  return `${countText(times)}× as ${factor > 1 ? 'common' : 'rare'}`;
}

/** How many alerts taught it: `2 dismissed, 1 resolved`. */
export const taughtText = ({ dismissals, resolutions }: Lesson): string =>
  [dismissals > 0 && `${countText(dismissals)} dismissed`, resolutions > 0 && `${countText(resolutions)} resolved`]
    .filter(Boolean)
    .join(', ');
