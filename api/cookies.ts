import type { Context } from 'koa';
import type { Config } from '#shared/settings/config.ts';

/** A cookie to set; without a value, to clear. `max_age` in seconds. */
export type Cookie = { name: string; value?: string; max_age?: number };

/** The cookies of the service. With https they carry the __Host- prefix (RFC 6265bis §4.1.3): set by this very host, for every path. */
export const sessionCookie = (config: Pick<Config, 'base_url'>) => cookieName(config, 'session');
/** Binds a sign-in link to the browser that asked for it. */
export const signInCookie = (config: Pick<Config, 'base_url'>) => cookieName(config, 'sign-in');

const isSecure = ({ base_url }: Pick<Config, 'base_url'>) => base_url.startsWith('https:');
/** The name of a cookie at the address of this deployment. */
export const cookieName = (config: Pick<Config, 'base_url'>, name: 'session' | 'sign-in') =>
  isSecure(config) ? `__Host-${name}` : name;

/** Reads the cookies of a request by name. */
export const cookieOf = (ctx: Context) => (name: string) => ctx.cookies.get(name, { signed: false });

/** Writes cookies that scripts cannot read and other sites' requests do not carry. */
export function setCookies(ctx: Context, config: Pick<Config, 'base_url'>, cookies: readonly Cookie[]): void {
  const lines = cookies.map(({ name, value = '', max_age = 0 }) =>
    [
      `${name}=${value}`,
      'Path=/',
      `Max-Age=${value ? max_age : 0}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(isSecure(config) ? ['Secure'] : []),
    ].join('; '),
  );
  if (lines.length > 0) ctx.append('Set-Cookie', lines);
}
