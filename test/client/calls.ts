import { event, type EventOptions } from '#test/helpers/make.ts';
import type { World } from '#test/helpers/world.ts';
import type * as client from '#api/client/generated.ts';

// The client was generated from the description, and knows of the service only what the description says.

/** Where a call goes, and with which key. */
export const through = ({ api, full }: World, key: string = full.key) => ({
  baseUrl: api.address,
  headers: { Authorization: `Bearer ${key}` },
});

/** Where a call goes, and with whose session; from the site itself, as a browser says. */
export const signedIn = ({ api }: World, { cookie }: { cookie: string }) => ({
  baseUrl: api.address,
  headers: { Cookie: cookie, Origin: api.address },
});

/** An event as the description types it. */
export const input = (options?: EventOptions) => event(options) as client.EventInput;

/** The answer, when it has the status that was expected. Throws when it has another. */
export function expect<A extends { status: number }, S extends A['status']>(
  status: S,
  answer: A,
): Extract<A, { status: S }> {
  if (answer.status !== status) throw new Error(`answered ${JSON.stringify(answer)}`);
  return answer as Extract<A, { status: S }>;
}
