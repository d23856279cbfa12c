import type { Context } from 'koa';
import { beginSession } from '#api/begin_session.ts';
import { cookieOf, setCookies, signInCookie } from '#api/cookies.ts';
import { shortPage } from './page.ts';
import { needSameOrigin } from '#api/same_origin.ts';
import type { ApiServices } from '#api/services.ts';
import { Problem } from '#shared/interface/errors.ts';
import { codeOf, findLink, takeLink } from '#shared/people/sign_in_links.ts';
import { html } from '#shared/platform/html.ts';

/**
 * The page of a sign-in link. GET does not use the link up, because mail scanners open every link; POST from the page signs in. A browser
 * other than the one that requested the link shows a code to enter there. Throws `not_found` for an expired link, `forbidden` for a
 * cross-origin POST.
 */
export async function signInPage(ctx: Context, token: string, services: ApiServices): Promise<void> {
  const { config, db, now } = services;
  ctx.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' });
  const cookie = cookieOf(ctx);
  const binding = cookie(signInCookie(config));
  if (ctx.method === 'POST') {
    needSameOrigin(ctx.req, config.base_url);
    const id = ctx.response.get('Request-Id');
    const user_agent = ctx.get('User-Agent') || undefined;
    const request = { id, ip: ctx.ip, user_agent, headers: ctx.headers, cookie };
    const begun = await db.transaction(async tx => {
      const user_id = await takeLink(tx, token, binding, now());
      return user_id && beginSession(tx, user_id, request, services);
    });
    if (begun) {
      setCookies(ctx, config, begun.cookies);
      ctx.status = 303;
      ctx.redirect('/');
      return;
    }
  }
  const link = await findLink(db, token, binding, now());
  if (link?.used) throw gone('Link already used', 'Each sign-in link works once.');
  if (!link) throw gone('Link expired', 'Each sign-in link works once, for ten minutes.');
  ctx.type = 'html';
  ctx.body = link.here ? confirmation(link.email) : elsewhere(codeOf(config.secret_key, token));
}

const gone = (title: string, message: string) =>
  new Problem('not_found', message, { page: { title, way_on: { path: '/sign-in', text: 'Request a new link' } } });

const confirmation = (email: string) =>
  shortPage(
    'Sign in',
    html`<p>Sign in as <strong>${email}</strong>.</p>
      <form method="post"><button autofocus>Sign in</button></form>`,
  );

const elsewhere = (code: string) =>
  shortPage(
    'Your code',
    html`<p>This link was requested in another browser. If that was you, enter this code there:</p>
      <p class="code">${code}</p>
      <p>If it wasn’t you, close this page. Never share the code.</p>`,
  );
