import type { MandateVersion } from '#shared/mandates/store/mandates.ts';
import { timeText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';
import { constraintText } from './constraint_words.ts';

const MOST = 50;

/** The versions of a mandate, newest first, each with what it changed. */
export function MandateVersions({ id }: { id: string }) {
  const reading = useReading('GET /v1/mandates/{id}/versions', { params: { id }, query: { limit: MOST } });
  return (
    <Section title="Versions">
      <Loaded reading={reading}>
        {({ data, next_cursor }) => (
          <>
            <ol class="timeline">
              {data.map((version, index) => (
                <li key={version.version}>
                  <div>
                    <strong>Version {version.version}</strong> <span class="quiet">by</span>{' '}
                    <ActorName id={version.created_by} />
                    <Changes of={version} before={data[index + 1] ?? null} isFirst={version.version === 1} />
                  </div>
                  <Time at={version.created_at} ago />
                </li>
              ))}
            </ol>
            {next_cursor && <p class="quiet">Showing the newest {MOST}. Use the API to read older versions.</p>}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Changes({ of, before, isFirst }: { of: MandateVersion; before: MandateVersion | null; isFirst: boolean }) {
  if (isFirst) return <p class="quiet">Created</p>;
  if (!before) return null;
  return (
    <ul class="changes">
      {changesBetween(before, of).map(change => (
        <li key={change}>{change}</li>
      ))}
    </ul>
  );
}

/** What another version says differently, in words. */
function changesBetween(before: MandateVersion, after: MandateVersion): string[] {
  const changeOf = ([name, textOf]: Told) => {
    const [former, next] = [textOf(before), textOf(after)];
    return former === next ? [] : [`${name}: ${former} → ${next}`];
  };
  const former = before.constraints.map(said);
  const next = after.constraints.map(said);
  return [
    ...members.flatMap(changeOf),
    ...without(former, next).map(text => `Removed: ${text}`),
    ...without(next, former).map(text => `Added: ${text}`),
  ];
}

type Told = [name: string, textOf: (version: MandateVersion) => string];

const time = (at: string | null) => (at === null ? 'none' : timeText(at));
const members: Told[] = [
  ['Name', ({ name }) => name],
  ['State', ({ state }) => wordsOf(state)],
  ['Starts', ({ valid_from }) => time(valid_from)],
  ['Expires', ({ valid_until }) => time(valid_until)],
  ['Human approval', ({ human_presence }) => (human_presence === 'required' ? 'required' : 'not required')],
  ['Reference', ({ external_ref }) => external_ref ?? 'none'],
];

const said = (constraint: MandateVersion['constraints'][number]): string =>
  constraintText(constraint as ConstraintTerms);

/** The items of a list that another list lacks; of an item that is there twice, each counts. */
function without(list: string[], other: string[]): string[] {
  const remaining = [...other];
  return list.filter(text => {
    const at = remaining.indexOf(text);
    if (at === -1) return true;
    remaining.splice(at, 1);
    return false;
  });
}
