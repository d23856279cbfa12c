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
      <Empty title="No payment has been reported yet.">
        <p>
          Payments are reported with an API key, by the agents or by what pays for them. Ask an owner or an admin of{' '}
          {me.organization.name} for one; what is sent with it appears here by itself.
        </p>
      </Empty>
    );
  const make = async () => {
    const made = await run({
      body: {
        name: 'first steps',
        env: me.environment === 'production' ? 'live' : 'test',
        scopes: ['events:write'],
      },
    });
    if (made) setLine(curlOf(made.key));
  };
  if (log && log.size > 0)
    return (
      <Empty title="The first event has arrived.">
        <p role="status">
          It is being analyzed and appears here in a moment; <a href="/events">Events</a> has it already.
        </p>
      </Empty>
    );
  return (
    <Empty title="No payment has been reported yet. Send the first one: it takes a minute.">
      {line === null ? (
        <>
          <p>
            A key lets a program report payments, and do nothing else. It is shown once, in a line that you paste into a
            terminal.
          </p>
          <ProblemNote problem={problem} />
          <button type="button" class="main" disabled={busy} onClick={() => void make()}>
            Make a key
          </button>
        </>
      ) : (
        <>
          <p>
            Paste this into a terminal. The key in it (<code>first steps</code>) is not shown again; revoke it in{' '}
            <a href="/api-keys">API keys</a> when you no longer need it.
          </p>
          <CopyBlock text={line} label="A command that sends an event" />
          <p role="status" class="quiet">
            Waiting for the first event… this page goes on by itself.
          </p>
        </>
      )}
      <p class="quiet">
        All that an event can say is in the <a href="/docs">API reference</a>.
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
