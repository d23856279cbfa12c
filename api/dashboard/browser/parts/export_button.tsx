import { useState } from 'preact/hooks';
import type { Export, ExportFormat, ExportKind } from '#shared/exports/store/exports.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import type { AnyNarrowing } from '#api/dashboard/browser/reading/use_rows.ts';
import { LIVE, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { Dialog } from './dialog.tsx';
import { ExportScheduleSection } from './export_schedule.tsx';
import { bytesText, countText, percentText, timeText } from './format.ts';
import { Choice, Form } from './form.tsx';
import { Icon } from './icon.tsx';
import { rangeOf } from './period.ts';
import { Time } from './values.tsx';
import { useQuery } from './use_query.ts';

/** While one is built, how far it is changes by the second. */
const WHILE_BUILT = 1_000;

/** Records that can be exported, and what narrows the list of them. */
export type Exported = { kind: ExportKind; filters: readonly AnyNarrowing[] };

/** Exports the records of a list as a file, and shows how far that is. */
export function ExportButton({ kind, filters }: Exported) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="download" size={14} /> Export
      </button>
      {open && <ExportDialog kind={kind} filters={filters} close={() => setOpen(false)} />}
    </>
  );
}

function ExportDialog({ kind, filters, close }: Exported & { close: () => void }) {
  const { query } = useQuery();
  const narrowing = narrowingOf(filters, query);
  const [isNarrowed, setNarrowed] = useState(true);
  const narrows = isNarrowed && narrowing !== null;
  const { run, busy, problem } = useChange('POST /v1/exports');
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [isBuilding, setBuilding] = useState(false);
  const { data } = useReading('GET /v1/exports', { query: { kind, limit: 5 } }, isBuilding ? WHILE_BUILT : LIVE);
  const exports = data?.data ?? [];
  const builds = exports.some(isComing);
  if (builds !== isBuilding) setBuilding(builds);
  const { from, to } = rangeOf(query);
  return (
    <Dialog title={`Export ${nouns[kind]}`} close={close}>
      <Form
        send={() =>
          run({
            body: { kind, format, ...(from && { from }), ...(to && { to }), ...(narrows && { filters: narrowing }) },
          })
        }
        busy={busy}
        problem={problem}
        button="Create export"
        cancel={close}
      >
        <Choice
          label="Format"
          value={format}
          set={value => setFormat(value as ExportFormat)}
          of={[
            ['csv', 'CSV: for spreadsheets'],
            ['ndjson', 'NDJSON: a JSON record per line'],
            ['parquet', 'Parquet: for a warehouse'],
          ]}
        />
        {narrowing && (
          <label class="tick">
            <input type="checkbox" checked={isNarrowed} onChange={event => setNarrowed(event.currentTarget.checked)} />
            <span>Only {nouns[kind]} that match the filters of this list</span>
          </label>
        )}
        <p class="quiet">
          {narrows ? `Filtered ${nouns[kind]}` : `All ${nouns[kind]}`} {periodText(from, to)}, with a signed manifest,
          as a ZIP.
        </p>
      </Form>
      {exports.length > 0 && (
        <section aria-label="Recent exports">
          <h3>Recent exports</h3>
          <ul class="export-list">
            {exports.map(made => (
              <li key={made.id}>
                <ExportLine of={made} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <ExportScheduleSection kind={kind} noun={nouns[kind]} />
    </Dialog>
  );
}

/** The filters of the list that are set, besides the period; null where there are none. */
function narrowingOf(filters: Exported['filters'], address: Record<string, string | undefined>) {
  const pairs = filters.flatMap(({ name, sends }) => {
    const value = sends ? sends(address[name], address) : address[name];
    return value && name !== 'from' && name !== 'to' ? [[name, value] as const] : [];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : null;
}

const nouns: Record<ExportKind, string> = {
  events: 'events',
  alerts: 'alerts',
  cases: 'cases',
  screenings: 'screenings',
  audit: 'audit records',
};

const isComing = ({ state }: Export) => state === 'queued' || state === 'building';

function periodText(from: string | null | undefined, to: string | null | undefined): string {
  if (from && to) return `from ${timeText(from)} to ${timeText(to)}`;
  if (from) return `since ${timeText(from)}`;
  return to ? `before ${timeText(to)}` : 'of all time';
}

function ExportLine({ of: made }: { of: Export }) {
  const { id, format, state, progress, row_count, size_bytes, created_at, error } = made;
  return (
    <>
      <span>
        {format.toUpperCase()}
        <small class="quiet">
          {' '}
          <Time at={created_at} ago />
          {row_count !== null && ` · ${countText(row_count)} rows`}
          {size_bytes !== null && ` · ${bytesText(size_bytes)}`}
        </small>
      </span>
      <span role="status">
        {isComing(made) && (
          <>
            <progress max={1} value={progress} aria-label="Progress" /> {percentText(progress)}
          </>
        )}
        {state === 'failed' && <span class="wrong">Failed{error ? `: ${error}` : ''}</span>}
        {state === 'expired' && <span class="quiet">Expired</span>}
        {state === 'ready' && (
          <a class="button" href={`/v1/exports/${id}/download`} download={`${id}.zip`}>
            Download
          </a>
        )}
      </span>
    </>
  );
}
