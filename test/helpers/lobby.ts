import type { ExecutionContext } from 'ava';
import { type Browser, browser } from './browser.ts';
import { linkIn, mailFolder } from './mail.ts';
import { world } from './world.ts';

/** A service with somebody who may sign in, a clock to move, and the mails it writes. */
export async function lobby(t: ExecutionContext, settings: Record<string, string> = {}) {
  const clock = { at: Date.parse('2026-11-20T10:00:00Z') };
  const mail = await mailFolder(t);
  const here = await world(t, { settings: { ...mail.settings, ...settings }, now: () => clock.at });
  const user = await here.member('developer');
  let asked = 0;
  /** Asks for a link in this browser, and gives its path. */
  const ask = async (from: Browser, email = user.email) => {
    t.is((await from.post('/v1/sign-in', { email })).status, 202);
    return linkIn((await mail.mails((asked += 1))).at(-1));
  };
  return { ...here, clock, mail, user, ask, open: () => browser(t, here.api.address) };
}

/** Another tab, or a copy, of a browser: it has the same cookies. */
export const copyOf = (t: ExecutionContext, { address, cookies }: Browser): Browser =>
  browser(t, address, new Map(cookies));
