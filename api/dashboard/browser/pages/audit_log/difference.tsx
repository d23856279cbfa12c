import type { AuditRecord } from '#shared/interface/audit_log.ts';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';

type Snapshot = Record<string, unknown>;
type Line = { name: string; before: string | null; after: string | null };

/** What a change made different, member by member; of what was made or removed, all there is. */
export function Difference({ record }: { record: AuditRecord }) {
  const lines = linesOf(record.before as Snapshot | null, record.after as Snapshot | null);
  if (lines.length === 0) return null;
  const count = `${lines.length} ${lines.length === 1 ? 'value' : 'values'}`;
  return (
    <details class="difference">
      <summary>
        {record.before && record.after ? `${count} changed` : count}
        <span class="unseen"> in {record.action}</span>
      </summary>
      <dl>
        {lines.map(({ name, before, after }) => (
          <div key={name}>
            <dt>{wordsOf(name)}</dt>
            {before !== null && (
              <dd class="gone">
                {after !== null && <span class="unseen">from </span>}
                <del>{before}</del>
              </dd>
            )}
            {after !== null && (
              <dd>
                {before !== null && <span class="unseen">to </span>}
                <ins>{after}</ins>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </details>
  );
}

function linesOf(before: Snapshot | null, after: Snapshot | null): Line[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map(name => ({ name, before: textOf(before, name), after: textOf(after, name) }))
    .filter(line => line.before !== line.after);
}

function textOf(snapshot: Snapshot | null, name: string): string | null {
  const value = snapshot?.[name];
  if (snapshot === null || value === undefined) return null;
  if (value === null) return 'none';
  if (typeof value === 'string') return value;
  const isShort = Array.isArray(value) && value.every(item => typeof item === 'string');
  return isShort ? value.join(', ') || 'none' : JSON.stringify(value, null, 1);
}
