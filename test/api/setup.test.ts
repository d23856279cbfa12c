import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { createOrganization } from '#shared/people/organizations.ts';
import { createSetupLink } from '#shared/people/setup_links.ts';
import { sql } from '#shared/platform/db.ts';
import { world } from '#test/helpers/world.ts';

const DAY = 86_400_000;
const first = { organization: 'Acme Travel', email: 'Ada@Example.com', name: 'Ada' };

/** A deployment without an organization, its clock, and a browser that opens and sends forms. */
async function fresh(t: ExecutionContext) {
  const clock = { at: Date.now() };
  const here = await world(t, { own_database: true, now: () => clock.at });
  await here.db.query(sql.unsafe`delete from organizations`);
  const { address } = here.api;
  const link = async () => {
    const made = await createSetupLink(here.db, clock.at);
    return made && `/setup/${made.token}`;
  };
  const open = (path: string) => fetch(address + path, { headers: { accept: 'text/html' } });
  const send = (path: string, fields: Record<string, string>, origin = address) =>
    fetch(address + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin, accept: 'text/html' },
      body: new URLSearchParams(fields),
    });
  const count = () => here.db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from organizations`);
  return { ...here, clock, link, open, send, count };
}

test('a link makes the first organization and its owner, who is signed in', async t => {
  const { link, open, send, client } = await fresh(t);
  const path = (await link()) ?? '';
  const page = await (await open(path)).text();
  t.regex(page, /<h1>Welcome<\/h1>/);
  t.notRegex(page, /<script/);
  const done = await send(path, first);
  t.deepEqual([done.status, done.headers.get('location')], [303, '/get-started']);
  const cookie = done.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const ada = client({ cookie });
  t.like((await ada.get('/v1/me')).body, {
    role: 'owner',
    organization: { name: 'Acme Travel' },
    user: { email: 'ada@example.com', name: 'Ada' },
  });
  const { data } = (await ada.get('/v1/audit-log')).body;
  t.deepEqual(
    data.map(({ action }: { action: string }) => action),
    ['session.created', 'member.added', 'organization.created'],
  );
});

test('of two people who send the form at once one makes the organization, and nobody does later', async t => {
  const { link, open, send, count } = await fresh(t);
  const path = (await link()) ?? '';
  const answers = await Promise.all([send(path, first), send(path, { ...first, organization: 'Other' })]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 404]);
  t.is(await count(), 1);
  const late = await open(path);
  t.is(late.status, 404);
  const said = await late.text();
  for (const command of ['setup-link', 'user create', 'sign-in-link']) t.true(said.includes(command), command);
  t.false(said.includes('restart'), 'a service that has an organization prints no link');
  t.is(await link(), null, 'where there is an organization there is no link');
});

test('a link ends after a day, with the next one, and with an organization that the operator makes', async t => {
  const { link, open, send, clock, db, config, count } = await fresh(t);
  const [old, next] = [(await link()) ?? '', (await link()) ?? ''];
  t.deepEqual([(await open(old)).status, (await open(next)).status], [404, 200]);
  clock.at += DAY;
  t.is((await open(next)).status, 404);
  const last = (await link()) ?? '';
  await createOrganization(db, config.environment, 'Made by hand', clock.at);
  t.is((await send(last, first)).status, 404);
  t.is(await count(), 1);
});

test('what is missing is said beside its field, what was typed stays, and nothing is made', async t => {
  const { link, send, count } = await fresh(t);
  const path = (await link()) ?? '';
  const answer = await send(path, { organization: '"><b>', email: 'nowhere' });
  t.is(answer.status, 400);
  const page = await answer.text();
  t.regex(page, /value="&quot;>&lt;b>"|value="&quot;&gt;&lt;b&gt;"/);
  t.regex(page, /Enter an email address\./);
  t.is((await send(path, { ...first, organization: ' ' })).status, 400);
  t.is((await send(path, first, 'https://evil.example')).status, 403);
  t.is((await send(path, { ...first, name: 'x'.repeat(20_000) })).status, 413);
  t.is(
    (
      await fetch(path.startsWith('/') ? new URL(path, answer.url) : path, {
        method: 'POST',
        headers: { origin: new URL(answer.url).origin },
        body: '{}',
      })
    ).status,
    415,
  );
  t.is(await count(), 0);
});
