import { Writable } from 'node:stream';
import test from 'ava';
import { pino } from 'pino';
import { startApi } from '#api/server.ts';
import { createLink } from '#shared/people/sign_in_links.ts';
import { ensureUser, addMember } from '#shared/people/users.ts';
import { browser } from '#test/helpers/browser.ts';
import { mailFolder } from '#test/helpers/mail.ts';
import { world } from '#test/helpers/world.ts';

const html = { accept: 'text/html' };

test('no page runs a script, is put into a frame, kept, found by search engines, or tells others where it was', async t => {
  const { api, db, config, member } = await world(t);
  const user = await member('owner');
  const bound = { user_id: user.id, binding: 'x'.repeat(43) };
  const links = [{ user_id: user.id, binding: null }, bound].map(link =>
    createLink(db, config.secret_key, link, Date.now()),
  );
  const tokens = (await Promise.all(links)).map(({ token }) => token);
  for (const path of [...tokens, 'x'.repeat(43)].map(token => `/sign-in/${token}`)) {
    const { headers, body } = await browser(t, api.address).get(path, html);
    const policy = headers.get('content-security-policy') ?? '';
    t.regex(policy, /^default-src 'none'; style-src 'self'; /);
    t.regex(policy, /form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
    t.notRegex(policy, /script|unsafe/);
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('referrer-policy'), 'no-referrer');
    t.is(headers.get('x-robots-tag'), 'noindex');
    t.is(headers.get('x-frame-options'), 'DENY');
    t.notRegex(body, /<script|style="|https?:\/\//);
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(body) ?? [];
    const sheet = await fetch(api.address + style);
    t.deepEqual([sheet.status, sheet.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
  }
});

test('what stands on a page is text, whatever it is made of', async t => {
  const { api, db, config, tenant } = await world(t);
  const user = await ensureUser(db, { email: "o'b&c@example.com" }, Date.now());
  await addMember(db, tenant.org_id, { user_id: user.id, role: 'owner', created_by: null }, Date.now());
  const { token } = await createLink(db, config.secret_key, { user_id: user.id, binding: null }, Date.now());
  const { body } = await browser(t, api.address).get(`/sign-in/${token}`, html);
  t.regex(body, /<strong>o'b&amp;c@example\.com<\/strong>/);
});

test('a page answers its own methods, and 405 with Allow to others; what is no link is 404', async t => {
  const { client, api } = await world(t);
  const anybody = client();
  for (const [path, allow] of [
    ['/pages/style.css', 'GET, HEAD, OPTIONS'],
    [`/sign-in/${'x'.repeat(43)}`, 'GET, HEAD, OPTIONS, POST'],
  ] as const) {
    for (const method of ['PUT', 'DELETE', 'PATCH', ...(allow.includes('POST') ? [] : ['POST'])]) {
      const { status, headers, body } = await anybody.send(method, path);
      t.deepEqual([status, headers.get('allow'), body.error.code], [405, allow, 'method_not_allowed'], path);
    }
  }
  for (const token of ['x', 'x'.repeat(43), '%00', '%ff', '..%2f..', '<b>', 'x'.repeat(5_000)]) {
    t.is((await anybody.get(`/sign-in/${token}`)).status, 404, token);
    t.is((await anybody.send('POST', `/sign-in/${token}`, { headers: { origin: api.address } })).status, 404, token);
  }
});

test('the log names the page and never the link: but in a sandbox without a mail server, where it stands for the mail', async t => {
  for (const [settings, shown] of [
    [{}, true],
    [{ ENVIRONMENT: 'production' }, false],
    [{ SMTP_URL: 'smtp://127.0.0.1:1' }, false],
  ] as const) {
    const mail = await mailFolder(t);
    const { services, member } = await world(t, { settings: { ...mail.settings, ...settings } });
    const lines: string[] = [];
    const log = pino(new Writable({ write: (line: Buffer, _encoding, done) => (lines.push(line.toString()), done()) }));
    const api = await startApi({ ...services, log });
    t.teardown(api.stop);
    const { email } = await member('developer');
    await browser(t, api.address).post('/v1/sign-in', { email });
    const text = lines.join('');
    t.is(/\/sign-in\/[\w-]{43}/.test(text), shown);
    t.false(text.includes(email));
    lines.length = 0;
    await browser(t, api.address).get(`/sign-in/${'y'.repeat(43)}`, html);
    const { route, status } = JSON.parse(lines.at(-1) ?? '{}');
    t.deepEqual([route, status], ['/sign-in/{token}', 404]);
    t.false(lines.join('').includes('yyyy'));
    await api.stop();
    t.false(lines.join('').includes(email), 'nor when the mail could not be sent');
  }
});
