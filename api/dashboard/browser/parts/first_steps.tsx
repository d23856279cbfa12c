import { ulid } from 'ulid';
import { useState } from 'preact/hooks';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { CopyBlock } from './copy_block.tsx';
import { Empty } from './page.tsx';
import { ProblemNote } from './problem_note.tsx';

const OFTEN = 2_000;

/** Where there are no events yet: a key, and a line that sends the first event with it. Pages that show events then update themselves. */
export function FirstSteps() {
  const { me, may } = useSession();
  const [line, setLine] = useState<string | null>(null);
  const { run, busy, problem } = useChange('POST /v1/api-keys', { refresh: false });
  const { data: log } = useReading('GET /v1/log', {}, OFTEN);
  if (!may('configure'))
    return (
      <Empty title="No payments yet">
        <p>
          Agents report payments with an API key. Ask an owner or an admin of {me.organization.name} for one. Payments
          then appear here automatically.
        </p>
      </Empty>
    );
  const make = async () => {
    const created = await run({
      body: {
        name: 'first steps',
        env: me.environment === 'production' ? 'live' : 'test',
        scopes: ['events:write'],
      },
    });
    if (created) setLine(curlOf(created.key));
  };
  if (log && log.size > 0)
    return (
      <Empty title="The first event has arrived.">
        <p role="status">
          It is being analyzed and will appear here in a moment. See it in <a href="/events">Events</a>.
        </p>
      </Empty>
    );
  return (
    <Empty title="No payments yet. Send your first one in about a minute.">
      {line === null ? (
        <>
          <p>This key can only report payments. It is shown once, in a command to paste into a terminal.</p>
          <ProblemNote problem={problem} />
          <button type="button" class="main" disabled={busy} onClick={() => void make()}>
            Create API key
          </button>
        </>
      ) : (
        <>
          <p>
            Paste this into a terminal. The key in it (<code>first steps</code>) won’t be shown again. Revoke it under{' '}
            <a href="/api-keys">API keys</a> when you no longer need it.
          </p>
          <CopyBlock text={line} label="A command that sends an event" />
          <p role="status" class="quiet">
            Waiting for the first event… This page continues automatically.
          </p>
        </>
      )}
      <p class="quiet">
        For everything an event can contain, see the <a href="/docs">API reference</a>.
      </p>
    </Empty>
  );
}

/** A whole event of now, with an id of its own, as a command. No name in it may have a single quote. */
function curlOf(key: string): string {
  const now = Date.now();
  const event = {
    id: `evt_${ulid(now)}`,
    type: 'payment.settled',
    occurred_at: new Date(now).toISOString(),
    agent: { external_id: 'buyer-1', name: 'Buyer' },
    owner: { external_id: 'team-1', name: 'Our team' },
    payment: {
      payment_id: `order-${now}`,
      rail: 'card',
      status: 'settled',
      amount: { value: '48000', unit: 'minor', currency: 'USD' },
      payee: { key: 'domain:hotel.example.com', name: 'Hotel Seeblick' },
    },
  };
  return `curl ${location.origin}/v1/events \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(event)}'`;
}
