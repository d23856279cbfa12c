import type { ComponentChildren } from 'preact';
import type { EventDetail } from '#shared/events/log/events.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { dayText, shortened, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { JsonText } from '#api/dashboard/browser/parts/json_text.tsx';
import { AgentName, OwnerName } from '#api/dashboard/browser/parts/names.tsx';
import { Facts, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Copy, Paid, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { shownName } from '#shared/values/shown_name.ts';

/** The payment, who paid whom by what, and what was said of it. */
export function PaymentFacts({ event }: { event: EventDetail }) {
  const { payment, context, failure, instrument, metadata } = event;
  return (
    <>
      <Facts
        of={[
          ['Payment', <Paid payment={payment} />],
          ['Exchange rate', rateText(event)],
          ['Status', <Badge of={payment.status} />],
          ['Payee', <PayeeOf event={event} />],
          ['Agent', <AgentName id={event.agent_id} />],
          ['Owner', <OwnerName id={event.owner_id} />],
          ['Rail', wordsOf(payment.rail)],
          ['Occurred', <Time at={event.occurred_at} />],
          ['Received', <Time at={event.received_at} />],
          ['Source', <SourceName id={event.source_id} />],
          ['Payment ID', <Copy text={payment.payment_id} label="payment ID" whole />],
          ['Event ID', <Copy text={event.id} label="event ID" />],
          ['Mandate', event.mandate_id && <a href={`/mandates/${event.mandate_id}`}>Named in the event</a>],
          ['Event signature', event.signature && 'Signed. See Verification.'],
        ]}
      />
      <Said event={event} />
      <div class="columns">
        <Members title="Failure" of={failure} />
        <Members title="Instrument" of={instrument} />
        <Members title="Context" of={context} />
      </div>
      {metadata && (
        <Section title="Metadata">
          <JsonText value={metadata} label="Metadata as JSON" />
        </Section>
      )}
    </>
  );
}

/** The rate that priced the payment; null where none did. */
function rateText({ payment, usd_rate }: EventDetail): string | null {
  if (!usd_rate) return null;
  const { usd_per_unit, date, source } = usd_rate;
  return `1 ${payment.amount.currency} = ${usd_per_unit} USD, ${dayText(date)}, ${sources[source]}`;
}

const sources = {
  operator: 'loaded by your operator',
  fetched: 'fetched',
  reference: 'built-in reference rate',
};

function PayeeOf({ event: { payee_id, payment } }: { event: EventDetail }) {
  const { key, type, country } = payment.payee;
  const name = shownName(payment.payee.name);
  const more = [type && type !== 'unknown' && wordsOf(type), country].filter(Boolean).join(', ');
  return (
    <>
      {payee_id ? <a href={`/payees/${payee_id}`}>{name ?? key}</a> : (name ?? key)}
      {more && <small class="quiet block">{more}</small>}
      {name && <small class="hex quiet block">{key}</small>}
    </>
  );
}

/** A source is known by its name to whoever may read it. */
function SourceName({ id }: { id: string }) {
  const { data } = useReading('GET /v1/sources/{id}', { params: { id } }, STILL);
  return (
    <a href="/sources" title={id}>
      {data?.name ?? shortened(id)}
    </a>
  );
}

function Said({ event: { description, resource_url, category } }: { event: EventDetail }) {
  const of: [string, ComponentChildren][] = [
    ['Description', description],
    ['Resource', resource_url && <Resource url={resource_url} />],
    ['Merchant category', category],
  ];
  return of.some(([, value]) => value) ? (
    <Section title="Purpose">
      <div class="wide">
        <Facts of={of} />
      </div>
    </Section>
  ) : null;
}

/** Only what a browser may open is a link: the text is the agent's. */
function Resource({ url }: { url: string }) {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') return <>{url}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  );
}

function Members({ title, of }: { title: string; of: Record<string, unknown> | null }) {
  if (!of || Object.keys(of).length === 0) return null;
  return (
    <Section title={title}>
      <Facts of={Object.entries(of).map(([name, value]) => [wordsOf(name), textOf(value)])} />
    </Section>
  );
}

function textOf(value: unknown): string {
  if (value === true) return 'Yes';
  if (value === false) return 'No';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
