import type { IncomingMessage } from 'node:http';
import { forbidden } from '#shared/interface/errors.ts';

/**
 * Refuses a request that another site may have made a browser send with our cookie: Sec-Fetch-Site must say same-origin, and Origin
 * must be ours, where they are there; one of them must be. Throws `forbidden`. (Cross-site request forgery; W3C Fetch Metadata.)
 */
export function needSameOrigin(request: IncomingMessage, base_url: string): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site === undefined && origin === undefined)
    throw forbidden('A change made with a session needs an Origin or Sec-Fetch-Site header, as browsers send them.');
  if (isForeign(request.headers, base_url))
    throw forbidden(
      `This request comes from another site (Origin ${origin ?? 'not given'}, Host ${host ?? 'not given'}).`,
    );
}

/** Whether the headers of a browser say that another site made it send this. */
export function isForeign({ origin, host, ...headers }: IncomingMessage['headers'], base_url: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  if (origin === undefined) return false;
  const given = URL.parse(origin);
  if (!given || given.origin === 'null' || origin !== given.origin) return true;
  const own = new URL(base_url);
  if (given.origin === own.origin) return false;
  // Whoever is on the network can put up a page under our name without https.
  if (own.protocol === 'https:' && given.host === own.host) return true;
  // People may reach the service under another name than BASE_URL; a browser cannot be made to send a foreign Host.
  return given.host !== host;
}
