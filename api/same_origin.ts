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
    throw forbidden(
      'A POST with a cookie needs an Origin or Sec-Fetch-Site header, as browsers send them, or the Content-Type application/json.',
    );
  if (isForeign(request.headers, base_url))
    throw forbidden(
      `This request comes from another site (Origin ${origin ?? 'not given'}, Host ${host ?? 'not given'}).`,
    );
}

/**
 * Whether a request that says nothing of where it comes from cannot come from a page of another site: browsers send a method other than
 * POST, and a body of JSON, only where the server has said beforehand that it may be (Fetch §4.8), and we never do.
 */
export function onlyOurPages({ headers }: IncomingMessage, method: string): boolean {
  const says = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  const media_type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return !says && (method !== 'post' || media_type === 'application/json');
}

/** Whether the headers of a browser say that another site made it send this. */
export function isForeign({ origin, host, ...headers }: IncomingMessage['headers'], base_url: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  if (origin === undefined) return false;
  const page = URL.parse(origin);
  if (!page || page.origin === 'null' || origin !== page.origin) return true;
  const own = new URL(base_url);
  if (page.origin === own.origin) return false;
  // Whoever is on the network can put up a page under our name without https.
  if (own.protocol === 'https:' && page.host === own.host) return true;
  // People may reach the service under another name than BASE_URL; a browser cannot be made to send a foreign Host.
  return page.host !== host;
}
