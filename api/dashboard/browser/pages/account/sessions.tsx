import type { Session } from '#shared/people/sessions.ts';
import { Loaded } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';

const EVERY_MINUTE = 60_000;

/** Where one is signed in; others than this one can be ended. */
export function Sessions() {
  const reading = useReading('GET /v1/sessions', { query: { limit: 200 } }, EVERY_MINUTE);
  const { run, busy, problem } = useChange('DELETE /v1/sessions/{id}');
  const columns: Column<Session>[] = [
    {
      name: 'Browser',
      show: ({ user_agent, current }) => (
        <span title={user_agent ?? ''}>
          {browserName(user_agent)} {current && <span class="quiet">(this session)</span>}
        </span>
      ),
    },
    { name: 'Last used', show: ({ last_seen_at }) => <Time at={last_seen_at} ago /> },
    { name: 'Signed in', show: ({ created_at }) => <Time at={created_at} ago />, from: 'middle' },
    { name: 'Expires', show: ({ expires_at }) => <Time at={expires_at} ago />, from: 'middle' },
    {
      name: 'Second factor',
      show: ({ second_factor }) => (second_factor ? 'Verified' : <span class="quiet">Not verified</span>),
      from: 'wide',
    },
    {
      name: 'End',
      unnamed: true,
      align: 'end',
      show: ({ id, current, user_agent }) =>
        !current && (
          <button
            type="button"
            class="plain"
            disabled={busy}
            aria-label={`End session: ${browserName(user_agent)}`}
            onClick={() => void run({ params: { id } })}
          >
            End session
          </button>
        ),
    },
  ];
  return (
    <Loaded reading={reading}>
      {({ data }) => (
        <>
          <ProblemNote problem={problem} />
          <Table caption="Your sessions, newest first" columns={columns} rows={data} idOf={({ id }) => id} />
        </>
      )}
    </Loaded>
  );
}

/** A browser and what it runs on, by its User-Agent, as far as that says; the text itself where it says something else. */
function browserName(user_agent: string | null): string {
  if (!user_agent) return 'Unknown browser';
  const browser = browsers.find(([pattern]) => pattern.test(user_agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(user_agent))?.[1];
  if (!browser) return user_agent.slice(0, 60);
  return system ? `${browser} on ${system}` : browser;
}

/** The order matters: Edge and Opera also name Chrome, and Chrome names Safari. */
const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
