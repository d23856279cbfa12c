import type { SessionCaller } from '#api/caller.ts';
import type { Route } from '#api/route.ts';
import { mayRole, type Role } from '#shared/interface/roles.ts';
import type { Scope } from '#shared/keys/api_keys.ts';
import { takes } from './routes.ts';

/** A person by what permissions depend on. */
export type Cell = { role: Role; second_factor: SessionCaller['second_factor'] };

const takesAnyKey = ({ access }: Route) => access !== 'public' && String(access.scopes) === 'any';
/** Whether a key with this scope may call a route. */
export const takesScope = (route: Route, scope: Scope) => takesAnyKey(route) || takes(route).includes(scope);
/** What a session may do where it may call a route; undefined where none may. */
export const permissionOf = ({ access }: Route) => (access === 'public' ? undefined : access.session);

/** What the table says: whose second factor is not shown yet can only show it, who lacks one can only enroll one. */
export function tableSays(route: Route, { role, second_factor }: Cell, environment: 'sandbox' | 'production'): boolean {
  const permission = permissionOf(route);
  if (!permission) return false;
  if (second_factor === 'needed') return permission === 'session';
  if (second_factor === 'missing') return permission === 'session' || permission === 'enroll';
  return mayRole(role, permission, environment);
}
