import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

const ONE = { query: { limit: 1 } };
/** The key by which one browser knows that an organization is set up: the menu leads there until then. */
const nameOf = (org_id: string) => `set_up ${org_id}`;

/** Whether this browser has seen every step of an organization done, or somebody has hidden them. */
export const isSetUp = (org_id: string): boolean => localStorage.getItem(nameOf(org_id)) !== null;
export const hideChecklist = (org_id: string): void => localStorage.setItem(nameOf(org_id), 'yes');

/** What an organization needs to be watched well; each step ticks itself. */
export function Checklist() {
  const { me, may } = useSession();
  const org_id = me.organization.id;
  const keys = useReading('GET /v1/api-keys', ONE, SLOW).data;
  const log = useReading('GET /v1/log', {}).data;
  const mandates = useReading('GET /v1/mandates', ONE, SLOW).data;
  const lists = useReading('GET /v1/screening-lists', { query: { limit: 200 } }, SLOW).data;
  const endpoints = useReading('GET /v1/webhook-endpoints', ONE, SLOW).data;
  const members = useReading('GET /v1/members', { query: { limit: 2 } }, SLOW).data;
  const isKnown = keys && log && mandates && lists && endpoints && members;
  const steps: Step[] = isKnown
    ? [
        {
          name: 'Create an API key',
          about: (
            <>
              Agents report payments with it. See <a href="/api-keys">API keys</a>.
            </>
          ),
          done: keys.data.length > 0,
        },
        {
          name: 'Send the first event',
          about: (
            <>
              Send one request, or use the TypeScript library. See the <a href="/docs">API reference</a>.
            </>
          ),
          done: log.size > 0,
        },
        {
          name: 'Create a mandate',
          about: (
            <>
              Set what an agent may spend, on what, and until when. See <a href="/mandates/new">New mandate</a>.
            </>
          ),
          done: mandates.data.length > 0,
        },
        {
          name: 'Load sanctions lists',
          about: (
            <>
              Your operator loads them. New payees are then screened automatically. See{' '}
              <a href="/screenings?view=lists">Screenings</a>.
            </>
          ),
          done: lists.data.some(({ name }) => name !== 'fictional'),
        },
        {
          name: 'Receive webhooks',
          about: (
            <>
              Your operator adds an endpoint, which receives every alert. See <a href="/webhooks">Webhooks</a>.
            </>
          ),
          done: endpoints.data.length > 0,
        },
        {
          name: 'Invite a member',
          about: may('administer') ? (
            <>
              Work on alerts together. See <a href="/members">Members</a>.
            </>
          ) : (
            'An owner or an admin invites members.'
          ),
          done: members.data.length > 1,
        },
      ]
    : [];
  const done = steps.filter(step => step.done).length;
  const isDone = steps.length > 0 && done === steps.length;
  useEffect(() => {
    if (isDone) hideChecklist(org_id);
  }, [isDone]);
  if (steps.length === 0) return <p class="quiet loading">Loading…</p>;
  return (
    <section class="checklist" aria-label="Setup checklist">
      <p role="status">
        {isDone ? 'All set.' : `${done} of ${steps.length} done`}
        <progress max={steps.length} value={done} aria-label="Steps done" />
      </p>
      <ol>
        {steps.map(({ name, about, done }) => (
          <li key={name} class={done ? 'done' : undefined}>
            <span class="tick" aria-hidden="true">
              {done ? '✓' : ''}
            </span>
            <span>
              <strong>{name}</strong> {done && <span class="unseen">(done)</span>}
              <br />
              <span class="quiet">{about}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

type Step = { name: string; about: ComponentChildren; done: boolean };
