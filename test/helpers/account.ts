import type { ExecutionContext } from 'ava';
import type { Role } from '#shared/interface/roles.ts';
import { authenticator } from './authenticator.ts';
import { browser } from './browser.ts';
import { totpCode } from './totp.ts';
import { world } from './world.ts';

const BASE_URL = 'https://oversight.example.com';
/** In the middle of a time step, so that a test can go a little either way. */
const NOON = Date.parse('2026-11-20T12:00:15Z');

/** A service at an https address with a clock to move, and people who have no second factor yet, each in a browser. */
export async function accounts(t: ExecutionContext, settings: Record<string, string> = {}, own_database = false) {
  const clock = { at: NOON };
  const here = await world(t, { settings: { BASE_URL, ...settings }, own_database, now: () => clock.at });

  /** One more browser in which this user is signed in. */
  async function signedIn(user_id: string, org_id?: string) {
    const { cookie, id } = await here.session(user_id, org_id);
    const [name = '', value = ''] = cookie.split('=');
    return { ...browser(t, here.api.address, new Map([[name, value]])), session_id: id };
  }

  async function somebody(role: Role) {
    const user = await here.member(role);
    return { ...(await signedIn(user.id)), user };
  }

  type Somebody = Awaited<ReturnType<typeof signedIn>>;

  /** Enrolls an authenticator app in this browser; gives its secret and the recovery codes. */
  async function enrollTotp(mine: Somebody) {
    const { secret } = (await mine.post('/v1/second-factor/totp')).body;
    const reply = await mine.post('/v1/second-factor/totp/confirm', { code: totpCode(secret, clock.at) });
    t.is(reply.status, 200, JSON.stringify(reply.body));
    return { secret: String(secret), recovery_codes: reply.body.recovery_codes as string[] | null };
  }

  /** Enrolls a passkey in this browser, of a new authenticator or of one that is given. */
  async function enrollPasskey(mine: Somebody, device = authenticator(BASE_URL)) {
    const asked = (await mine.post('/v1/second-factor/passkeys/options')).body;
    const reply = await mine.post('/v1/second-factor/passkeys', { name: 'laptop', response: device.create(asked) });
    t.is(reply.status, 201, JSON.stringify(reply.body));
    return { device, passkey: reply.body };
  }

  return { ...here, clock, origin: BASE_URL, signedIn, somebody, enrollTotp, enrollPasskey };
}

/** The statuses of some answers, in order of size. */
export const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).toSorted();
