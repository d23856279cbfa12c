import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { browser } from '#test/helpers/browser.ts';
import { lobby } from '#test/helpers/lobby.ts';
import { linkIn, mailServer, noMailServer } from '#test/helpers/mail.ts';
import { world } from '#test/helpers/world.ts';

test('the mail says where it leads, which browser asked, and how long it is good; and nothing that the asker wrote', async t => {
  const { open, user, mail } = await lobby(t, { BASE_URL: 'https://oversight.example.com' });
  const agent = 'Mozilla/5.0 (Windows NT 10.0) <b>Call 555-0100</b> Gecko/20100101 Firefox/140.0';
  await open().post('/v1/sign-in', { email: user.email }, { 'user-agent': agent });
  const [text = ''] = await mail.mails(1);
  t.regex(text, /^From: Agent Payment Oversight <no-reply@oversight\.example\.com>\r?$/m);
  t.regex(text, new RegExp(`^To: ${user.email}\r?$`, 'm'));
  t.regex(text, /^Subject: Sign in to Agent Payment Oversight at oversight\.example\.com\r?$/m);
  t.regex(text, /Requested from Firefox on Windows at 2026-11-20 10:00 UTC/);
  t.regex(text, /works once, for ten minutes/);
  t.notRegex(text, /555-0100/);
  const [name = ''] = await mail.names();
  t.regex(name, /^\d{4}-\d\d-\d\dT[\d-]+Z-[0-9a-f]{8}\.eml$/);
  t.is((await stat(join(mail.folder, name))).mode & 0o777, 0o600);
});

test('with SMTP_URL the mail goes to that server, from the sender it names', async t => {
  const server = await mailServer(t);
  const { api, member } = await world(t, { settings: server.settings });
  const user = await member('owner');
  const mine = browser(t, api.address);
  t.is((await mine.post('/v1/sign-in', { email: user.email })).status, 202);
  const [mail] = await server.mails(1);
  t.deepEqual([mail?.from, mail?.to], ['oversight@example.com', [user.email]]);
  t.is((await mine.post(linkIn(mail?.text))).status, 303);
});

test('a mail server that refuses, or is not there, changes nothing in the answer', async t => {
  const refusing = await mailServer(t, { refuse: true });
  for (const SMTP_URL of [refusing.settings.SMTP_URL, await noMailServer()]) {
    const { api, member } = await world(t, { settings: { SMTP_URL } });
    const { status, body } = await browser(t, api.address).post('/v1/sign-in', {
      email: (await member('owner')).email,
    });
    t.deepEqual([status, body], [202, {}]);
    await api.stop();
  }
  t.deepEqual(refusing.taken, []);
});
