import { useRecord } from '#api/dashboard/browser/reading/use_record.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { shortened } from './format.ts';

/** An agent by its name, linked to its page. */
export function AgentName({ id }: { id: string }) {
  const agent = useRecord('GET /v1/agents', id);
  return (
    <a class="name" href={`/agents/${id}`} title={id}>
      {agent?.name ?? agent?.external_id ?? shortened(id)}
    </a>
  );
}

/** An owner by its name, linked to its page. */
export function OwnerName({ id }: { id: string }) {
  const owner = useRecord('GET /v1/owners', id);
  return (
    <a class="name" href={`/owners/${id}`} title={id}>
      {owner?.name ?? owner?.external_id ?? shortened(id)}
    </a>
  );
}

/** A payee by its name, linked to its page. */
export function PayeeName({ id }: { id: string }) {
  const payee = useRecord('GET /v1/payees', id);
  return (
    <a href={`/payees/${id}`} title={payee?.key ?? id}>
      {payee?.name ?? payee?.key ?? shortened(id)}
    </a>
  );
}

/** Who did something: a person, a key, or nobody, which is the system; `within` a sentence. */
export function ActorName({ id, within = false }: { id: string | null; within?: boolean }) {
  const { me } = useSession();
  const member = useRecord('GET /v1/members', id?.startsWith('usr_') && id !== me.user.id ? id : null);
  const key = useRecord('GET /v1/api-keys', id?.startsWith('key_') ? id : null);
  if (id === null) return <span class="quiet">System</span>;
  if (id === me.user.id) return <span>{within ? 'you' : 'You'}</span>;
  if (member) return <span title={id}>{member.name ?? member.email}</span>;
  return <span title={id}>{key ? `API key “${key.name}”` : shortened(id)}</span>;
}
