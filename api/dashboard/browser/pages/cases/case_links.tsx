import { useState } from 'preact/hooks';
import type { CaseDetail } from '#shared/casework/cases.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, percentText, keyText, shortened } from '#api/dashboard/browser/parts/format.ts';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import { Paid, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useRecord } from '#api/dashboard/browser/reading/use_record.ts';
import { packName } from '#api/dashboard/browser/pages/packs/pack_kinds.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { shownName } from '#shared/values/shown_name.ts';
import { AddLinks } from './add_links.tsx';

const FIRST = 10;

/** What a case is about: its alerts, events, screenings and packs, each with its name and state, and a field that adds one. */
export const CaseLinks = ({ record: { id, links } }: { record: CaseDetail }) => (
  <>
    <Some
      title="Alerts"
      ids={links.alert_ids}
      none="No alerts yet. Escalated alerts for the agent are added to the case."
      Line={AlertLine}
    />
    <Some
      title="Events"
      ids={links.event_ids}
      none="No events linked directly. Events of the alerts are part of the case."
      Line={EventLine}
    />
    {links.screening_ids.length > 0 && (
      <Some title="Screenings" ids={links.screening_ids} none="" Line={ScreeningLine} />
    )}
    {links.pack_ids.length > 0 && <Some title="Packs" ids={links.pack_ids} none="" Line={PackLine} />}
    <Section title="Add to case">
      <AddLinks id={id} links={links} />
    </Section>
  </>
);

/** The newest first; the rest are read when they are asked for. */
function Some({
  title,
  ids,
  none,
  Line,
}: {
  title: string;
  ids: string[];
  none: string;
  Line: (props: { id: string }) => preact.JSX.Element;
}) {
  const [all, setAll] = useState(false);
  return (
    <Section title={ids.length > 0 ? `${title} (${countText(ids.length)})` : title}>
      {ids.length === 0 && <p class="quiet">{none}</p>}
      <ul class="lines">
        {ids.slice(0, all ? undefined : FIRST).map(id => (
          <li key={id}>
            <Line id={id} />
          </li>
        ))}
      </ul>
      {ids.length > FIRST && (
        <button type="button" class="plain" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${countText(ids.length)}`}
        </button>
      )}
    </Section>
  );
}

function AlertLine({ id }: { id: string }) {
  const data = useRecord('GET /v1/alerts', id);
  return (
    <>
      {data && <Badge of={data.severity} />}
      <a href={`/alerts/${id}`}>{isolated(data?.title ?? shortened(id))}</a>
      {data && <Badge of={data.state} />}
    </>
  );
}

function EventLine({ id }: { id: string }) {
  const listed = useRecord('GET /v1/events', id);
  // Archived events are in no list.
  const archived = useReading('GET /v1/events/{id}', listed === null ? { params: { id } } : null, STILL);
  const data = listed ?? archived.data;
  return (
    <>
      <a href={`/events/${id}`}>{data ? <Time at={data.occurred_at} /> : shortened(id)}</a>
      {data && (
        <>
          <Paid payment={data.payment} />
          <span>to {isolated(shownName(data.payment.payee.name) ?? keyText(data.payment.payee.key))}</span>
          <Badge of={data.payment.status} />
        </>
      )}
    </>
  );
}

function ScreeningLine({ id }: { id: string }) {
  const data = useRecord('GET /v1/screenings', id);
  return (
    <>
      <a href={`/screenings/${id}`}>{data?.query.name ?? data?.query.key ?? shortened(id)}</a>
      {data && (
        <>
          <Badge of={data.state} />
          <span class="quiet">Score {percentText(data.score)}</span>
        </>
      )}
    </>
  );
}

function PackLine({ id }: { id: string }) {
  const listed = useRecord('GET /v1/packs', id);
  const isBuilding = listed?.state === 'queued' || listed?.state === 'building';
  const data = useReading('GET /v1/packs/{id}', isBuilding ? { params: { id } } : null).data ?? listed;
  return (
    <>
      <a href={`/packs/${id}`}>{data ? packName(data) : shortened(id)}</a>
      {data && <Badge of={data.state} />}
    </>
  );
}
