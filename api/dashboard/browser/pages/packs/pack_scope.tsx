import type { PackScope } from '#shared/packs/store/pack_input.ts';
import { countText, shortened } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

const MOST = 5;

/** What a pack is about, with links to it. */
export function ScopeText({ scope }: { scope: PackScope }) {
  const { case_id, alert_ids, event_ids, payment_id, agent_id, from, to } = scope;
  if (case_id) return <CaseScope id={case_id} />;
  if (alert_ids) return <Several ids={alert_ids} name="alerts" Item={AlertScope} />;
  if (event_ids) return <Several ids={event_ids} name="events" Item={EventScope} />;
  if (payment_id)
    return (
      <>
        Payment <a href={`/events?q=${encodeURIComponent(payment_id)}`}>{payment_id}</a>
      </>
    );
  if (!agent_id) return null;
  return (
    <>
      Activity of <AgentName id={agent_id} />{' '}
      {from && (
        <>
          from <Time at={from} />
        </>
      )}{' '}
      {to && (
        <>
          to <Time at={to} />
        </>
      )}
    </>
  );
}

function CaseScope({ id }: { id: string }) {
  const { data } = useReading('GET /v1/cases/{id}', { params: { id } }, STILL);
  return (
    <>
      Case <a href={`/cases/${id}`}>{isolated(data?.title ?? shortened(id))}</a>
    </>
  );
}

function AlertScope({ id }: { id: string }) {
  const { data } = useReading('GET /v1/alerts/{id}', { params: { id } }, STILL);
  return (
    <>
      Alert <a href={`/alerts/${id}`}>{isolated(data?.title ?? shortened(id))}</a>
    </>
  );
}

const EventScope = ({ id }: { id: string }) => (
  <>
    Event <a href={`/events/${id}`}>{shortened(id)}</a>
  </>
);

const Several = ({
  ids,
  name,
  Item,
}: {
  ids: string[];
  name: string;
  Item: (props: { id: string }) => preact.JSX.Element;
}) => (
  <ul class="lines">
    {ids.slice(0, MOST).map(id => (
      <li key={id}>
        <span>
          <Item id={id} />
        </span>
      </li>
    ))}
    {ids.length > MOST && (
      <li>
        and {countText(ids.length - MOST)} more {name}
      </li>
    )}
  </ul>
);
