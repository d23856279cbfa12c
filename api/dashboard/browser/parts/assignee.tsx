import { ActorName } from './names.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useRecord } from '#api/dashboard/browser/reading/use_record.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { shortened } from './format.ts';

/** To whom something is assigned. */
export const Assignee = ({ id }: { id: string | null }) =>
  id === null ? <span class="quiet">Unassigned</span> : <ActorName id={id} />;

/** Whom something may be assigned to, by id and name; asked for while `isAsked`. */
export function useMembers(isAsked = true): [id: string, name: string][] {
  const { me } = useSession();
  const { data } = useReading('GET /v1/members', isAsked ? { query: { limit: 200 } } : null, STILL);
  const others = data?.data.filter(({ id }) => id !== me.user.id) ?? [];
  return [[me.user.id, 'Me'], ...others.map(({ id, name, email }): [string, string] => [id, name ?? email])];
}

/** To whom something is assigned, where that can be changed. */
export function AssigneeField({
  value,
  busy,
  assign,
}: {
  value: string | null;
  busy: boolean;
  assign: (to: string | null) => void;
}) {
  const { me } = useSession();
  const members = useMembers();
  // Someone who has left, or one of very many.
  const other = value !== null && members.every(([id]) => id !== value) ? value : null;
  const record = useRecord('GET /v1/members', other);
  return (
    <span class="actions">
      <select
        aria-label="Assignee"
        value={value ?? ''}
        disabled={busy}
        onChange={event => assign(event.currentTarget.value || null)}
      >
        <option value="">Unassigned</option>
        {other && <option value={other}>{record?.name ?? record?.email ?? shortened(other)}</option>}
        {members.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {value !== me.user.id && (
        <button type="button" disabled={busy} onClick={() => assign(me.user.id)}>
          Assign to me
        </button>
      )}
    </span>
  );
}
