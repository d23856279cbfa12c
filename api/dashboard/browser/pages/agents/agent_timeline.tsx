import type { ComponentChildren } from 'preact';
import type { AuditRecord } from '#shared/interface/audit_log.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import type { Event } from '#shared/events/log/events.ts';
import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, usdSum } from '#api/dashboard/browser/parts/format.ts';
import { Icon, type IconName } from '#api/dashboard/browser/parts/icon.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Paid, Time } from '#api/dashboard/browser/parts/values.tsx';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { shownName } from '#shared/values/shown_name.ts';

type Entry =
  | { kind: 'event'; at: string; of: Event }
  | { kind: 'alert'; at: string; of: Alert }
  | { kind: 'mandate'; at: string; of: Mandate }
  | { kind: 'label'; at: string; of: AuditRecord };
/** `isCut`: earlier payments of it are not read. */
type Run = { kind: 'run'; at: string; of: Event[]; isCut: boolean };

const MOST_EVENTS = 50;
const MOST_SHOWN = 20;

/** What happened with an agent, newest first: its payments, the alerts on it, its mandates, and its labels. */
export function AgentTimeline({ id }: { id: string }) {
  const { may } = useSession();
  const events = useReading('GET /v1/events', { query: { agent_id: id, limit: MOST_EVENTS } }, SLOW);
  const alerts = useReading('GET /v1/alerts', { query: { agent_id: id, limit: MOST_SHOWN } }, SLOW);
  const mandates = useReading('GET /v1/mandates', { query: { agent_id: id, limit: MOST_SHOWN } }, SLOW);
  const labels = useReading(
    'GET /v1/audit-log',
    may('administer') ? { query: { target_id: id, action: 'agent.labeled', limit: MOST_SHOWN } } : null,
    SLOW,
  );
  return (
    <Section title="Timeline" actions={<a href={`/events?agent_id=${id}`}>All events</a>}>
      <Loaded reading={events}>
        {({ data, next_cursor }) => {
          const entries: Entry[] = [
            ...data.map(of => ({ kind: 'event' as const, at: of.occurred_at, of })),
            ...(alerts.data?.data ?? []).map(of => ({ kind: 'alert' as const, at: of.created_at, of })),
            ...(mandates.data?.data ?? []).map(of => ({ kind: 'mandate' as const, at: of.created_at, of })),
            ...(labels.data?.data ?? []).map(of => ({ kind: 'label' as const, at: of.at, of })),
          ];
          const shown = inRuns(
            entries.toSorted((a, b) => (a.at < b.at ? 1 : -1)),
            next_cursor !== null,
          ).slice(0, MOST_SHOWN);
          if (shown.length === 0) return <p class="quiet">Nothing yet.</p>;
          return (
            <ol class="timeline-rows">
              {shown.map(entry => (
                <li key={`${entry.kind} ${entry.at} ${Array.isArray(entry.of) ? entry.of[0]?.id : entry.of.id}`}>
                  <Icon name={icons[entry.kind]} size={14} />
                  <div>{wordsFor(entry)}</div>
                  <Time at={entry.at} row />
                </li>
              ))}
            </ol>
          );
        }}
      </Loaded>
    </Section>
  );
}

const icons: Record<Entry['kind'] | 'run', IconName> = {
  event: 'receipt',
  run: 'receipt',
  alert: 'bell',
  mandate: 'scroll',
  label: 'bookmark',
};

/** More than two payments in a row are one entry, which opens. `isMore`: there are earlier payments than these. */
function inRuns(entries: Entry[], isMore: boolean): (Entry | Run)[] {
  const all: (Entry | Run)[] = [];
  const first = entries.findLast(({ kind }) => kind === 'event')?.of;
  for (let at = 0; at < entries.length;) {
    const end = entries.findIndex((entry, index) => index >= at && entry.kind !== 'event');
    const run = entries.slice(at, end === -1 ? entries.length : Math.max(end, at + 1));
    const events = run.flatMap(entry => (entry.kind === 'event' ? [entry.of] : []));
    const isCut = isMore && events.at(-1) === first;
    if (events.length > 2) all.push({ kind: 'run', at: run[0]?.at ?? '', of: events, isCut });
    else all.push(...run);
    at += run.length;
  }
  return all;
}

function wordsFor(entry: Entry | Run): ComponentChildren {
  if (entry.kind === 'run') return <Payments of={entry.of} isCut={entry.isCut} />;
  if (entry.kind === 'event') return <Payment event={entry.of} />;
  if (entry.kind === 'alert')
    return (
      <>
        <a href={`/alerts/${entry.of.id}`}>{isolated(entry.of.title)}</a> <Badge of={entry.of.severity} />
      </>
    );
  if (entry.kind === 'mandate')
    return (
      <>
        Mandate <a href={`/mandates/${entry.of.id}`}>{entry.of.name}</a>, version {entry.of.version}{' '}
        <Badge of={entry.of.state} />
      </>
    );
  return <Labeled record={entry.of} />;
}

const Payment = ({ event: { id, payment, payee_id } }: { event: Event }) => (
  <>
    <a href={`/events/${id}`}>
      <Paid payment={payment} />
    </a>{' '}
    to{' '}
    {payee_id ? (
      <a href={`/payees/${payee_id}`}>{shownName(payment.payee.name) ?? payment.payee.key}</a>
    ) : (
      (shownName(payment.payee.name) ?? payment.payee.key)
    )}{' '}
    <Badge of={payment.status} />
  </>
);

function Payments({ of, isCut }: { of: Event[]; isCut: boolean }) {
  const latest = new Map(of.toReversed().map(event => [event.payment.payment_id, event]));
  const cents = [...latest.values()]
    .filter(({ payment }) => ['authorized', 'settled', 'disputed'].includes(payment.status))
    .reduce((sum, { payment }) => sum + Number(payment.amount_usd_minor ?? 0), 0);
  const payees = new Set(of.map(({ payment }) => payment.payee.key)).size;
  return (
    <details>
      <summary>
        {isCut && `${of.length === MOST_EVENTS ? 'Latest' : 'Of the latest'} ${countText(MOST_EVENTS)} events: `}
        {countText(latest.size)} {latest.size === 1 ? 'payment' : 'payments'}, {usdSum(cents)}, to {countText(payees)}{' '}
        {payees === 1 ? 'payee' : 'payees'}
      </summary>
      <ol class="timeline-run">
        {of.map(event => (
          <li key={event.id}>
            <Payment event={event} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Labeled({ record: { before, after, actor_id } }: { record: AuditRecord }) {
  const [was, is] = [labelsOf(before), labelsOf(after)];
  const added = is.filter(label => !was.includes(label));
  const removed = was.filter(label => !is.includes(label));
  return (
    <>
      {added.length > 0 && <>Labeled {added.join(', ')}</>}
      {added.length > 0 && removed.length > 0 && '; '}
      {removed.length > 0 && <>Label removed: {removed.join(', ')}</>}{' '}
      <span class="quiet">
        by <ActorName id={actor_id} />
      </span>
    </>
  );
}

function labelsOf(side: unknown): string[] {
  const labels = (side as { labels?: unknown } | null)?.labels;
  return Array.isArray(labels) ? labels.map(String) : [];
}
