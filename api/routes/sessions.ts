import { z } from 'zod';
import { sessionCookie } from '#api/cookies.ts';
import { reply, route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { recordAccount } from '#shared/people/account_audit.ts';
import { endSession, listSessions, Session } from '#shared/people/sessions.ts';

export const sessions = [
  route({
    method: 'get',
    path: '/v1/sessions',
    operation_id: 'listSessions',
    tag: 'Account',
    summary: 'List your active sessions, newest first',
    access: { session: 'account' },
    version: { of: 'answer' },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of your sessions', PageOf(Session).meta({ id: 'SessionPage' })]],
    handle: ({ query, caller }, { db, config, now }) =>
      listSessions(db, caller, pageRequest(config.secret_key, 'sessions', caller, query), now()),
  }),

  route({
    method: 'delete',
    path: '/v1/sessions/{id}',
    operation_id: 'endSession',
    cookies: { sets: 'session' },
    tag: 'Account',
    summary: 'End one of your sessions',
    access: { session: 'account', fresh: true },
    changes: [],
    params: z.object({ id: Id('ses') }),
    responses: [[200, 'The session that has ended', Session]],
    handle: async ({ caller, params, request }, { db, config, now }) => {
      const ended = orNotFound('session', await endSession(db, caller.user_id, params.id, caller.session_id));
      const { org_id, ...session } = ended;
      const actor = { actor_id: caller.actor_id, request_id: request.id };
      const entry = { org_id, action: 'session.ended' as const, target_id: session.id };
      await recordAccount(db, config.environment, actor, [entry], now());
      return reply(200, session, session.current ? [{ name: sessionCookie(config) }] : []);
    },
  }),
];
