import { getDetectorQuality } from '#api/client/generated.ts';
import { countText, dayText, percentText } from '../../parts/format.ts';
import { Loaded, Section } from '../../parts/page.tsx';
import { useReading } from '../../reading/use_reading.ts';

const EVERY_MINUTE = 60_000;

/** What became of the alerts of a detector in the last 90 days. */
export function DetectorQualityNote({ name }: { name: string }) {
  const known = useReading(getDetectorQuality, { name }, EVERY_MINUTE);
  return (
    <Section title="What came of its alerts">
      <Loaded known={known}>
        {quality => (
          <>
            <div class="tiles">
              <Tile of={countText(quality.alerts)} what="alerts in 90 days" href={`/alerts?detector=${name}`} />
              <Tile
                of={quality.alerts_per_10000_events === null ? '–' : countText(quality.alerts_per_10000_events)}
                what="alerts per 10,000 events"
              />
              <Tile
                of={quality.precision === null ? '–' : percentText(quality.precision)}
                what="of those closed were right"
              />
              <Tile
                of={quality.median_hours_to_close === null ? '–' : `${countText(quality.median_hours_to_close)} h`}
                what="median until closed"
              />
            </div>
            <p class="quiet">
              {countText(quality.open)} open, {countText(quality.acknowledged)} acknowledged,{' '}
              {countText(quality.escalated)} escalated, {countText(quality.resolved)} resolved,{' '}
              {countText(quality.dismissed)} dismissed, of {countText(quality.events)} events from{' '}
              {dayText(quality.from)} to {dayText(quality.to)}. Resolved alerts count as right, dismissed ones as wrong.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Tile({ of, what, href }: { of: string; what: string; href?: string }) {
  const inside = (
    <>
      <strong>{of}</strong>
      <span class="quiet">{what}</span>
    </>
  );
  return href ? (
    <a class="tile" href={href}>
      {inside}
    </a>
  ) : (
    <div class="tile">{inside}</div>
  );
}
