import { useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import { LevelBadge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';

const EVERY_HALF_MINUTE = 30_000;
const FIRST = 6;
const grave: Alert['severity'][] = ['critical', 'high', 'medium', 'low'];

/** What is open, by detector: the gravest first, and of these the rarest, since a detector that seldom fires says the most. */
export function OpenByDetector({ isAsked }: { isAsked: boolean }) {
  const [all, setAll] = useState(false);
  const { data } = useReading(
    'GET /v1/alerts',
    isAsked ? { query: { state: 'open', limit: 200 } } : null,
    EVERY_HALF_MINUTE,
  );
  // The line is there before what is in it, so that nothing moves.
  if (!data) return <div class="kinds" />;
  if (data.data.length === 0) return null;
  const kinds = [...Map.groupBy(data.data, ({ detector }) => detector)]
    .map(([detector, of]) => ({ detector, of, worst: grave.find(level => of.some(alert => alert.severity === level)) }))
    .sort((a, b) => rank(a.worst) - rank(b.worst) || a.of.length - b.of.length || a.detector.localeCompare(b.detector));
  return (
    <nav class="kinds" aria-label="Open alerts by detector">
      <p class="quiet">
        {data.next_cursor ? 'Of the latest 200 open' : `${countText(data.data.length)} open`}, sorted by severity
      </p>
      <ul class={all ? 'chips' : 'chips in-a-row'}>
        {kinds.slice(0, all ? undefined : FIRST).map(({ detector, of, worst = 'low' }) => (
          <li key={detector}>
            <a class="chip" href={`/alerts?detector=${detector}`}>
              {wordsOf(detector)} <strong>{countText(of.length)}</strong> <LevelBadge of={worst} />
            </a>
          </li>
        ))}
        {kinds.length > FIRST && (
          <li>
            <button type="button" class="plain" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? 'Fewer' : `${kinds.length - FIRST} more`}
            </button>
          </li>
        )}
      </ul>
    </nav>
  );
}

const rank = (severity: Alert['severity'] = 'low'): number => grave.indexOf(severity);
