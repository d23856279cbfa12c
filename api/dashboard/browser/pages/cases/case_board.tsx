import type { Case } from '#shared/casework/cases.ts';
import { Assignee } from '#api/dashboard/browser/parts/assignee.tsx';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Loaded } from '#api/dashboard/browser/parts/page.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { narrowed, type Narrowing } from '#api/dashboard/browser/reading/use_rows.ts';
import { CaseStatusSelect } from './case_status.tsx';
import { caseStatuses } from './case_words.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { type Moved, useStatusUndo } from './undo_status.ts';

const MOST = 50;

type Filters = Narrowing<'GET /v1/cases'>[];

/** The cases in a column for each status; a choice on each card moves it. */
export function CaseBoard({ filters }: { filters: Filters }) {
  const { moved, shown } = useStatusUndo();
  return (
    <>
      {shown}
      <div class="board">
        {caseStatuses.map(status => (
          <Column key={status} status={status} filters={filters} moved={moved} />
        ))}
      </div>
    </>
  );
}

function Column({ status, filters, moved }: { status: Case['status']; filters: Filters; moved: Moved }) {
  const { query } = useQuery();
  const reading = useReading('GET /v1/cases', { query: { ...narrowed(filters, query), status, limit: MOST } });
  return (
    <section class="board-column" aria-label={wordsOf(status)}>
      <Loaded reading={reading}>
        {({ data, next_cursor }) => (
          <>
            <h2>
              {wordsOf(status)}{' '}
              <span class="quiet">
                {countText(data.length)}
                {next_cursor && '+'}
              </span>
            </h2>
            {data.length === 0 && <p class="quiet">None.</p>}
            <ul class="board-cards">
              {data.map(one => (
                <li key={one.id} class="card">
                  <a href={`/cases/${one.id}`}>{isolated(one.title)}</a>
                  <p class="totals">
                    <Badge of={one.priority} />
                    <small class="quiet">
                      <Assignee id={one.assignee_id} />, <Time at={one.created_at} ago />
                    </small>
                  </p>
                  <CaseStatusSelect of={one} moved={moved} />
                </li>
              ))}
            </ul>
            {next_cursor && (
              <p>
                <a href={`/cases?status=${status}`}>See all</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
