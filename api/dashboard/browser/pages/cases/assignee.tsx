import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

/** To whom a case is assigned. */
export const Assignee = ({ id }: { id: string | null }) =>
  id === null ? <span class="quiet">Unassigned</span> : <ActorName id={id} />;

/** Whom a case may be assigned to, by id and name. */
export function useMembers(): [id: string, name: string][] {
  const { me } = useSession();
  const { data } = useReading('GET /v1/members', { query: { limit: 200 } }, STILL);
  const others = data?.data.filter(({ id }) => id !== me.user.id) ?? [];
  return [[me.user.id, 'Me'], ...others.map(({ id, name, email }): [string, string] => [id, name ?? email])];
}
