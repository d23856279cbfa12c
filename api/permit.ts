import type { IncomingMessage } from 'node:http';
import type { Caller, SessionCaller } from './caller.ts';
import type { Route } from './route.ts';
import { isForeign, needSameOrigin, onlyOurPages } from './same_origin.ts';
import type { Config } from '#shared/settings/config.ts';
import { forbidden, Problem } from '#shared/interface/errors.ts';
import { mayRole, type Permission, permissions } from '#shared/interface/roles.ts';

/** Lets a caller pass who may use this route, and throws `forbidden` at every other. The one place that decides. */
export function permit(
  { access, method }: Route,
  caller: Caller,
  request: IncomingMessage,
  { base_url, environment }: Pick<Config, 'base_url' | 'environment'>,
): void {
  if (access === 'public') return;
  if (caller.kind === 'key') {
    if (!access.scopes) throw forbidden('This is for signed-in people; API keys cannot do it.');
    if (access.scopes === 'any' || access.scopes.some(scope => caller.scopes.includes(scope))) return;
    throw forbidden(`This key lacks the scope ${access.scopes.join(' or ')}.`);
  }
  if (!access.session) throw forbidden('This is for API keys; a session cannot do it.');
  if (method !== 'get' && !onlyOurPages(request, method)) needSameOrigin(request, base_url);
  needSecondFactor(caller, access.session);
  if (access.fresh && !caller.fresh) throw notFresh(caller);
  if (mayRole(caller.role, access.session, environment)) return;
  const able = permissions[access.session][environment].join(' or ');
  throw forbidden(`In ${environment} this takes the role ${able}; yours is ${caller.role}.`);
}

/** The same for a route that needs no credential, by where its request comes from. */
export function permitAnybody({ origin }: Route, request: IncomingMessage, base_url: string): void {
  if (origin === 'needed') needSameOrigin(request, base_url);
  if (origin === 'checked' && isForeign(request.headers, base_url))
    throw forbidden('This request comes from another site.');
}

/** ASVS 5.0.0, 7.5.1 and 7.5.2: a session that was left open is not enough to change what guards the account. */
function notFresh({ second_factor }: SessionCaller): Problem {
  const [code, message] =
    second_factor === 'shown'
      ? [
          'second_factor_stale',
          'Verify your second factor again, then retry: it was last verified more than 15 minutes ago.',
        ]
      : ['sign_in_stale', 'Sign out and in again first: you signed in more than 15 minutes ago.'];
  return new Problem('forbidden', message, { details: [{ path: 'header.cookie', code, message }] });
}

function needSecondFactor({ second_factor }: SessionCaller, permission: Permission): void {
  if (permission === 'session' || second_factor === 'shown' || second_factor === 'not_needed') return;
  if (second_factor === 'missing' && permission === 'enroll') return;
  const message =
    second_factor === 'missing'
      ? 'Your role needs a second factor here. Enroll one: POST /v1/second-factor/totp or /v1/second-factor/passkeys/options.'
      : 'Show your second factor first: POST /v1/second-factor/verify or /v1/second-factor/passkeys/challenge.';
  const code = second_factor === 'missing' ? 'second_factor_missing' : 'second_factor_needed';
  throw new Problem('forbidden', message, { details: [{ path: 'header.cookie', code, message }] });
}
