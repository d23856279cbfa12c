import type { EventDetail } from '#shared/events/log/events.ts';
import { AlertsOf } from '#api/dashboard/browser/parts/alerts_of.tsx';
import { amountText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { JsonText } from '#api/dashboard/browser/parts/json_text.tsx';
import { Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { usePathId } from '#api/dashboard/browser/parts/use_path_id.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { Evaluations } from './evaluations.tsx';
import { EvidenceList } from './evidence_list.tsx';
import { LogPlace } from './log_place.tsx';
import { PaymentFacts } from './payment_facts.tsx';
import { PaymentHistory } from './payment_history.tsx';
import { shownName } from '#shared/values/shown_name.ts';
import { Verifications } from './verifications.tsx';

/** One event: what was reported, what its evidence and mandates say of it, and where it stands in the log. */
export function EventPage() {
  const id = usePathId();
  const reading = useReading('GET /v1/events/{id}', { params: { id } });
  return (
    <Page
      title={reading.data ? titleOf(reading.data) : 'Event'}
      eyebrow={
        <>
          <a href="/events">Events</a>
          {reading.data && ` / ${wordsOf(reading.data.type)}`}
        </>
      }
      actions={reading.data && <Actions event={reading.data} />}
    >
      <Loaded reading={reading}>{event => <Parts key={event.id} event={event} />}</Loaded>
    </Page>
  );
}

const titleOf = ({ payment: { amount, payee } }: EventDetail) =>
  `${amountText(amount)} to ${shownName(payee.name) ?? payee.key}`;

function Actions({ event: { id, payment } }: { event: EventDetail }) {
  const { may } = useSession();
  if (!may('act')) return null;
  return (
    <>
      <a class="button" href={`/packs?new=1&payment_id=${encodeURIComponent(payment.payment_id)}`}>
        Build pack
      </a>
      <a class="button" href={`/cases?new=1&event_id=${id}`}>
        Create case
      </a>
    </>
  );
}

const Parts = ({ event }: { event: EventDetail }) => (
  <>
    {event.analyzed_at === null && (
      <p class="note" role="status">
        Analyzing. Verification, mandates, and alerts usually appear here within seconds.
      </p>
    )}
    <PaymentFacts event={event} />
    <AlertsOf of={{ event_id: event.id }} title="Alerts for this event" none={event.analyzed_at !== null} />
    <Evaluations event={event} />
    <Verifications event={event} />
    <EvidenceList event={event} />
    <PaymentHistory event={event} />
    <LogPlace event={event} />
    <Section title="Original event">
      <details>
        <summary>JSON, with evidence replaced by its SHA-256</summary>
        <JsonText value={event.input} label="Original event as JSON" />
      </details>
    </Section>
  </>
);
