import type { Context } from 'koa';
import { z } from 'zod';
import { beginSession } from '#api/begin_session.ts';
import { cookieOf, setCookies } from '#api/cookies.ts';
import { needSameOrigin } from '#api/same_origin.ts';
import type { ApiServices } from '#api/services.ts';
import { shortPage } from './page.ts';
import { Problem, unsupportedMediaType } from '#shared/interface/errors.ts';
import { recordAccount } from '#shared/people/account_audit.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { isSetupLink, takeSetupLink } from '#shared/people/setup_links.ts';
import { addMember, Email, ensureUser } from '#shared/people/users.ts';
import { html } from '#shared/platform/html.ts';
import { named } from '#shared/values/text.ts';
import { readRawBody } from '#api/json_body.ts';

const First = z.object({ organization: named(200), name: z.string().trim().max(200), email: Email });
type First = z.infer<typeof First>;

/**
 * The page of the link that sets a deployment up: it creates the first organization, its owner, and their session. Throws `not_found` for
 * an expired link, `forbidden` for a cross-origin POST.
 */
export async function setupPage(ctx: Context, token: string, services: ApiServices): Promise<void> {
  const { config, db, now } = services;
  ctx.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' });
  if (!(await isSetupLink(db, token, now()))) throw gone();
  const sent = ctx.method === 'POST' ? await send(ctx, services) : {};
  const first = First.safeParse(sent);
  if (ctx.method === 'POST' && first.success) {
    setCookies(ctx, config, await begin(ctx, token, first.data, services));
    ctx.status = 303;
    ctx.redirect('/get-started');
    return;
  }
  const faults = new Set(ctx.method === 'POST' ? first.error?.issues.map(({ path }) => String(path[0])) : []);
  ctx.status = faults.size > 0 ? 400 : 200;
  ctx.type = 'html';
  ctx.body = form(sent, faults);
}

function send(ctx: Context, services: ApiServices): Promise<Record<string, string>> {
  needSameOrigin(ctx.req, services.config.base_url);
  return readForm(ctx, services);
}

/** Creates the first organization, its owner and their session, and ends the link, in one transaction. */
async function begin(ctx: Context, token: string, { organization, name, email }: First, services: ApiServices) {
  const { config, db, now } = services;
  const id = ctx.response.get('Request-Id');
  const user_agent = ctx.get('User-Agent') || undefined;
  const cookie = cookieOf(ctx);
  const begun = await db.transaction(async tx => {
    if (!(await takeSetupLink(tx, token, now()))) throw gone();
    const { id: org_id } = await createOrganization(tx, config.environment, organization, now());
    const user = await ensureUser(tx, { email, name: named(200).safeParse(name).data ?? null }, now());
    await addMember(tx, org_id, { user_id: user.id, role: 'owner', created_by: null }, now());
    const entries = [
      { org_id, action: 'organization.created' as const, target_id: org_id, after: { name: organization } },
      { org_id, action: 'member.added' as const, target_id: user.id, after: { email, role: 'owner' } },
    ];
    await recordAccount(tx, config.environment, { actor_id: user.id, request_id: id }, entries, now(), true);
    return beginSession(tx, user.id, { id, ip: ctx.ip, user_agent, headers: ctx.headers, cookie }, services);
  });
  if (!begun) throw gone();
  return begun.cookies;
}

const gone = () =>
  new Problem(
    'not_found',
    'A setup link works once, for one day, and only until the first organization exists. Until then, `npm run -s admin -- setup-link` prints a new one; after that, `admin -- user create` adds a person, and `admin -- sign-in-link` signs them in.',
    { page: { title: 'Setup link not valid', way_on: { path: '/sign-in', text: 'Go to sign-in' } } },
  );

const words: Record<string, string> = {
  organization: 'Enter a name, up to 200 characters.',
  name: 'Enter up to 200 characters.',
  email: 'Enter an email address.',
};

const form = (sent: Record<string, string>, faults: Set<string>) => {
  const field = (name: string, label: string, type: string, isNeeded: boolean, complete: string) =>
    html`<p class="field">
      <label for=${name}>${label}</label>
      <input
        id=${name} name=${name} type=${type} value=${sent[name] ?? ''} maxlength="254" required=${isNeeded} autocomplete=${complete}
        aria-invalid=${faults.has(name) ? 'true' : null} aria-describedby=${faults.has(name) ? `${name}-problem` : null}
      />
      ${faults.has(name) && html`<span id=${`${name}-problem`} class="wrong">${words[name]}</span>`}
    </p>`;
  return shortPage(
    'Welcome',
    html`<p>Create your organization and your account. You become its owner and are signed in immediately.</p>
      <form method="post" novalidate>
        ${field('organization', 'Organization', 'text', true, 'organization')}
        ${field('email', 'Your email', 'email', true, 'email')}
        ${field('name', 'Your name (optional)', 'text', false, 'name')}
        <button>Create organization</button>
      </form>
      <p class="quiet">From then on, you sign in with a link sent to this email address.</p>`,
  );
};

/** Reads the fields of a form sent by one of our pages (application/x-www-form-urlencoded), within the limits for anonymous bodies. */
async function readForm(ctx: Context, { pressure, bounds }: ApiServices): Promise<Record<string, string>> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw unsupportedMediaType('Send the form as application/x-www-form-urlencoded.');
  const [body, turn] = [pressure.beginBody(''), pressure.turnOf('')];
  try {
    const reading = { body, turn, bounds: { most: bounds.stranger_body, patience: bounds.stranger_patience } };
    return Object.fromEntries(new URLSearchParams((await readRawBody(ctx, reading)).toString('utf8')));
  } finally {
    turn.end();
    body.release();
  }
}
