import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionMe } from '#shared/people/me.ts';
import { mayRole, type Permission } from '#shared/interface/roles.ts';

/** Who is signed in, and what they may do in the organization and environment they are in. */
export type SignedIn = { me: SessionMe; may: (permission: Permission) => boolean };

export const SessionContext = createContext<SignedIn | null>(null);

export const signedIn = (me: SessionMe): SignedIn => ({
  me,
  may: permission => mayRole(me.role, permission, me.environment),
});

/** Names who is signed in, and in which organization. */
export const readerOf = ({ me }: SignedIn): string => `${me.user.id} ${me.organization.id}`;

/** Who is signed in. Only within the shell, where somebody is. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext);
  if (!session) throw new Error('nobody is signed in here');
  return session;
}
