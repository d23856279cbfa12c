import { useState } from 'preact/hooks';
import type { Source } from '#shared/keys/sources.ts';
import type { Replayed } from '#shared/sources/take_webhooks.ts';
import type { UnreadWebhook } from '#shared/sources/unread.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

/** The webhooks of a source that could not be read: why, what they say, and a button that has them read again. */
export function Unread({ source: { id, state } }: { source: Source }) {
  const { may } = useSession();
  const list = useRows('GET /v1/sources/{id}/unread', [], { params: { id } });
  const { run, busy, problem } = useChange('POST /v1/sources/{id}/unread/replay');
  const [outcome, setOutcome] = useState<Replayed | null>(null);
  const replay = async () => {
    const replayed = await run({ params: { id } });
    if (!replayed) return;
    setOutcome(replayed);
    list.showFresh();
  };
  const offers = may('configure') && state === 'active' && (list.rows?.length ?? 0) > 0;
  return (
    <Section
      title="Unread webhooks"
      actions={
        offers && (
          <button type="button" onClick={replay} disabled={busy}>
            Retry
          </button>
        )
      }
    >
      <ProblemNote problem={problem} />
      <p role="status">{outcome && describe(outcome)}</p>
      <List
        caption="Webhooks that could not be read, newest first"
        list={list}
        columns={columns}
        empty={<p class="quiet">None. Every webhook about a payment was recorded as an event.</p>}
      />
    </Section>
  );
}

function describe({ read, ignored, unread, remaining }: Replayed): string {
  const parts = [
    `${countText(read)} read`,
    ignored > 0 && `${countText(ignored)} not about a payment`,
    `${countText(unread)} still unread`,
    remaining > 0 && `${countText(remaining)} not tried yet: retry again`,
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

const columns: Column<UnreadWebhook>[] = [
  {
    name: 'Problem',
    show: ({ id, problems, body, body_bytes }) => (
      <>
        {problems.map(({ item, code, message, path }) => (
          <p key={`${item} ${code} ${path}`} class="anywhere">
            {message} {path && <span class="quiet">({path})</span>}
          </p>
        ))}
        {body === null ? (
          <p class="quiet">The body ({countText(body_bytes)} bytes) was not kept.</p>
        ) : (
          <details>
            <summary>Body, {countText(body_bytes)} bytes</summary>
            <pre class="wrap json" tabIndex={0} role="region" aria-label={`Start of the body of ${id}`}>
              {cut(body)}
            </pre>
          </details>
        )}
      </>
    ),
  },
  { name: 'Received', show: ({ received_at }) => <Time at={received_at} ago /> },
  { name: 'Last tried', show: ({ tried_at }) => <Time at={tried_at} ago />, from: 'middle' },
];

/** Characters of a body that are shown. */
const MOST_SHOWN = 2_000;

const cut = (body: string): string => (body.length > MOST_SHOWN ? `${body.slice(0, MOST_SHOWN)}…` : body);
