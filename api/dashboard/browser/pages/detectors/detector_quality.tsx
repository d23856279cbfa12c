import { countText, dayText, percentText } from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Tile } from '#api/dashboard/browser/parts/tile.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';

/** How often what became of alerts is asked for. */
export const EVERY_MINUTE = 60_000;

/** What became of the alerts of a detector in the last 90 days. */
export function DetectorQualityNote({ name }: { name: string }) {
  const reading = useReading('GET /v1/detectors/{name}/quality', { params: { name } }, EVERY_MINUTE);
  return (
    <Section title="Alert quality">
      <Loaded reading={reading}>
        {quality => (
          <>
            <div class="tiles">
              <Tile
                name="Alerts in 90 days"
                value={countText(quality.alerts)}
                href={`/alerts?state=any&detector=${name}`}
              />
              <Tile
                value={quality.alerts_per_10000_events === null ? '–' : countText(quality.alerts_per_10000_events)}
                name="Alerts per 10,000 events"
              />
              <Tile value={quality.precision === null ? '–' : percentText(quality.precision)} name="Precision" />
              <Tile
                value={quality.median_hours_to_close === null ? '–' : `${countText(quality.median_hours_to_close)} h`}
                name="Median time to close"
              />
            </div>
            <p class="quiet">
              {countText(quality.open)} open, {countText(quality.acknowledged)} acknowledged,{' '}
              {countText(quality.escalated)} escalated, {countText(quality.resolved)} resolved,{' '}
              {countText(quality.dismissed)} dismissed, of {countText(quality.events)} events from{' '}
              {dayText(quality.from)} to {dayText(quality.to)}. Precision is the share of closed alerts that were
              resolved rather than dismissed.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
