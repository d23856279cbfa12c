import type { EventDetail } from '#shared/events/log/events.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Paid, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';

const MOST = 100;

/** Everything that was reported of the same payment, in the order in which it happened; of very much, the newest. */
export function PaymentHistory({ event }: { event: EventDetail }) {
  const { payment_id } = event.payment;
  // The search takes two to 200 characters, and finds names of that text too.
  const isSearched = payment_id.length > 1 && payment_id.length <= 200;
  const reading = useReading('GET /v1/events', isSearched ? { query: { q: payment_id, limit: MOST } } : null);
  if (!isSearched) return null;
  return (
    <Section title="Payment history">
      <Loaded reading={reading}>
        {({ data }) => (
          <ol class="timeline">
            {data
              .filter(({ payment }) => payment.payment_id === payment_id)
              .toSorted((one, other) => Date.parse(one.occurred_at) - Date.parse(other.occurred_at))
              .map(({ id, type, occurred_at, payment }) => (
                <li key={id} aria-current={id === event.id ? 'true' : undefined}>
                  <span>
                    {id === event.id ? <strong>{wordsOf(type)}</strong> : <a href={`/events/${id}`}>{wordsOf(type)}</a>}{' '}
                    <Badge of={payment.status} />
                    {id === event.id && <small class="quiet"> this event</small>}
                  </span>
                  <Paid payment={payment} />
                  <small class="quiet">
                    <Time at={occurred_at} />
                  </small>
                </li>
              ))}
          </ol>
        )}
      </Loaded>
    </Section>
  );
}
