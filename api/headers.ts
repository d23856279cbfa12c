import { constants } from 'node:zlib';
import helmet from 'helmet';
import type { Context, Middleware } from 'koa';
import compress from 'koa-compress';
import type { Config } from '#shared/settings/config.ts';

/**
 * The security headers of every answer. They suit JSON, with which a browser may do nothing; a page asks for its own policy with
 * `allowPage`. Strict-Transport-Security is sent only where BASE_URL is https.
 */
export function securityHeaders({ base_url }: Pick<Config, 'base_url'>): Middleware {
  const set = helmet({
    contentSecurityPolicy: policy(nothing),
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    // Other hosts below ours are not ours to decide about.
    strictTransportSecurity: base_url.startsWith('https:') && { includeSubDomains: false },
  });
  return (ctx, next) => {
    set(ctx.req, ctx.res, throwError);
    return next();
  };
}

/** Lets this answer be a page: scripts, styles, pictures and requests of our own origin, and forms that are sent to it. */
export const allowPage = (ctx: Context): void => setPagePolicy(ctx.req, ctx.res, throwError);

/**
 * Compresses answers over 1 KB with what the client takes: br, gzip or deflate. Not those with `ctx.compress = false`, which hold
 * secrets that an onlooker could guess from the size.
 */
export function compression(): Middleware {
  const shrink = compress({
    threshold: 1_024,
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zstd: false,
    encodingPreference: encodings,
  });
  return (ctx, next) => {
    // koa-compress throws at a client that refuses all of these; it is sent what there is.
    if (!ctx.acceptsEncodings(encodings)) ctx['compress'] = false;
    return shrink(ctx, next);
  };
}

const encodings = ['br', 'gzip', 'deflate', 'identity'];

const nothing = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

const policy = (directives: Record<string, string[]>) => ({ useDefaults: false, directives });

const setPagePolicy = helmet.contentSecurityPolicy(
  policy({
    ...nothing,
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    // Stylesheets hold their small pictures themselves.
    'img-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'form-action': ["'self'"],
  }),
);

function throwError(error?: unknown): void {
  if (error) throw error;
}
