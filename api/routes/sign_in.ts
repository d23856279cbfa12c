import { z } from 'zod';
import { beginSession } from '#api/begin_session.ts';
import { sessionCookie, signInCookie } from '#api/cookies.ts';
import { reply, route } from '#api/route.ts';
import type { ApiServices } from '#api/services.ts';
import { signInMail } from '#api/sign_in_mail.ts';
import { newToken } from '#shared/platform/token.ts';
import { Problem, unprocessable } from '#shared/interface/errors.ts';
import { recordAccount } from '#shared/people/account_audit.ts';
import { MOST_MAILS, subjects, takeAttempt } from '#shared/people/attempt_limits.ts';
import { endSession, Session } from '#shared/people/sessions.ts';
import { createLink, isToken, LINK_LIFE, takeCode } from '#shared/people/sign_in_links.ts';
import { Email, findMember } from '#shared/people/users.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

const Nothing = z.strictObject({}).meta({ id: 'Nothing' });
const tooMany = { '429': 'Too many attempts; Retry-After says when to try again' };

export const signIn = [
  route({
    method: 'post',
    path: '/v1/sign-in',
    operation_id: 'signIn',
    cookies: { reads: 'sign-in', sets: 'sign-in' },
    tag: 'Sign-in',
    summary: 'Request a sign-in link by email',
    description:
      'The answer is the same whether or not a member has this address. Its cookie binds the link to this browser; the link lasts ten minutes and works once.',
    access: 'public',
    origin: 'checked',
    errors: tooMany,
    body: z.strictObject({ email: Email }).meta({ id: 'SignIn', examples: [{ email: 'ada@example.com' }] }),
    responses: [[202, 'If a member has this address, an email is on its way', Nothing]],
    handle: async ({ body: { email }, request }, services) => {
      const { db, config, now } = services;
      await takeAttempt(db, subjects.network(request.ip), now());
      await takeAttempt(db, subjects.email(email), now(), MOST_MAILS);
      // A second link must not take over from the first one's browser.
      const bound = request.cookie(signInCookie(config));
      const binding = isToken(bound) ? bound : newToken();
      const user = await findMember(db, email);
      const { token } = await createLink(db, config.secret_key, { user_id: user?.id ?? null, binding }, now());
      if (user) send(user.email, token, request.user_agent, services);
      return reply(202, {}, [{ name: signInCookie(config), value: binding, max_age: LINK_LIFE / SECOND }]);
    },
  }),

  route({
    method: 'post',
    path: '/v1/sign-in/code',
    operation_id: 'signInWithCode',
    cookies: { reads: 'sign-in', sets: 'session' },
    tag: 'Sign-in',
    summary: 'Sign in with the code that the link shows in another browser',
    description:
      'Takes the cookie of POST /v1/sign-in. The fifth wrong code ends the link. The answer sets the session cookie.',
    access: 'public',
    origin: 'needed',
    errors: { '404': 'No sign-in is under way in this browser', '422': 'That is not the code' },
    body: z
      .strictObject({ code: z.string().max(40).meta({ description: 'case, spaces and dashes do not matter' }) })
      .meta({ id: 'SignInCode', examples: [{ code: 'K7QM-2XWD' }] }),
    responses: [[200, 'The session', Session]],
    handle: async ({ body, request }, services) => {
      const { db, config, now } = services;
      const binding = request.cookie(signInCookie(config));
      const code = body.code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
      const session = await db.transaction(async tx => {
        if (!isToken(binding)) return 'gone';
        const sign_in = await takeCode(tx, config.secret_key, { binding, code }, now());
        if (typeof sign_in === 'string') return sign_in;
        return (await beginSession(tx, sign_in.user_id, request, services)) ?? 'gone';
      });
      if (session === 'gone')
        throw new Problem('not_found', 'This sign-in has expired or was canceled. Request a new link.');
      if (session === 'wrong')
        throw unprocessable('/code', 'wrong_code', 'That code doesn’t match the one your link shows.');
      return reply(200, session.session, session.cookies);
    },
  }),

  route({
    method: 'post',
    path: '/v1/sign-out',
    operation_id: 'signOut',
    cookies: { sets: 'session' },
    tag: 'Sign-in',
    summary: 'End this session',
    access: { session: 'session' },
    changes: [],
    responses: [[200, 'The session has ended', Nothing]],
    handle: async ({ caller, request }, { db, config, now }) => {
      await endSession(db, caller.user_id, caller.session_id, caller.session_id);
      const entry = { org_id: caller.org_id, action: 'session.ended' as const, target_id: caller.session_id };
      await recordAccount(
        db,
        config.environment,
        { actor_id: caller.actor_id, request_id: request.id },
        [entry],
        now(),
      );
      return reply(200, {}, [{ name: sessionCookie(config) }]);
    },
  }),
];

function send(to: string, token: string, user_agent: string | undefined, { config, log, mailer, now }: ApiServices) {
  const url = `${config.base_url}/sign-in/${token}`;
  const at = timestamp(now());
  mailer.post(() => signInMail({ to, url, host: new URL(config.base_url).host, user_agent, at }));
  // People who try the service out have no mail server.
  if (config.environment === 'sandbox' && !config.smtp_url) log.info({ url }, 'sign-in link');
}
