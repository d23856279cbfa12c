import { constants } from 'node:zlib';
import helmet from 'helmet';
import type { Context, Middleware } from 'koa';
import compress from 'koa-compress';
import type { Config } from '#shared/settings/config.ts';

/**
 * The security headers of every response. They suit JSON, for which a browser needs no permissions; a page gets its own policy from
 * `allowPage`. Strict-Transport-Security is sent only if BASE_URL is https.
 */
export function securityHeaders({ base_url }: Pick<Config, 'base_url'>): Middleware {
  const set = helmet({
    contentSecurityPolicy: policy(nothing),
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    // Subdomains are not ours to decide about.
    strictTransportSecurity: base_url.startsWith('https:') && { includeSubDomains: false },
  });
  return (ctx, next) => {
    set(ctx.req, ctx.res, throwError);
    return next();
  };
}

/** Allows this response to be a page: scripts, styles, images and requests of our own origin, and forms sent to it. */
export const allowPage = (ctx: Context): void => setPagePolicy(ctx.req, ctx.res, throwError);

/**
 * Compresses responses over 1 KB as the client accepts: br, gzip or deflate. Not those with `ctx.compress = false`, whose secrets could be
 * guessed from their size.
 */
export function compression(): Middleware {
  const shrink = compress({
    threshold: 1_024,
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zstd: false,
    encodingPreference: encodings,
  });
  return (ctx, next) => {
    // koa-compress throws for a client that refuses all of these; it gets the response uncompressed.
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
    // Stylesheets embed their small images.
    'img-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'form-action': ["'self'"],
  }),
);

function throwError(error?: unknown): void {
  if (error) throw error;
}
