import * as fc from 'fast-check';
import { routes } from '#api/routes/index.ts';
import { roles } from '#shared/interface/roles.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { requestsOf } from '#test/helpers/requests.ts';
import type { Place, Side } from './place.ts';
import type { Tally } from './tally.ts';

/** Requests that are made up at a time. */
const PART = 500;
const AT_ONCE = 16;

const types = [
  'application/json; charset=utf-16',
  'application/cloudevents+json',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/octet-stream',
  'application/json; charset="',
  '*/*',
  '',
];

/** Somebody who asks; `show` makes the headers anew where they are signed out. */
type Asker = { side: Side | null; show(): Promise<Record<string, string>>; shown: Record<string, string> };

/**
 * Requests of every route of `api/openapi.json` (which is what the routes say), by keys of each scope and people of each role in two
 * organizations, and by nobody, as every content type: most nearly sound, some far from it.
 */
export async function generated(place: Place, tally: Tally, count: number, seed: number): Promise<void> {
  const askers = await askersOf(place);
  const ids = [...place.us.ids, ...place.them.ids];
  const asked = fc.oneof(
    ...routes.map(route =>
      fc.record({
        sent: requestsOf(route, ids),
        asker: fc.nat(askers.length - 1),
        type: fc.oneof(
          { weight: 3, arbitrary: fc.constant(null) },
          { weight: 1, arbitrary: fc.constantFrom(...types) },
        ),
      }),
    ),
  );
  for (let done = 0; done < count; done += PART) {
    const waiting = fc.sample(asked, { seed: seed + done, numRuns: Math.min(PART, count - done) });
    const lane = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const asker = askers[next.asker];
        if (!asker) continue;
        const headers: Record<string, string> = { ...asker.shown, ...next.sent.headers };
        if (next.type !== null) headers['content-type'] = next.type;
        const { status } = await place.ask(tally, { ...next.sent, headers }, asker.side);
        // They sign out now and then, lose their membership, or revoke the key.
        if (status === 401) asker.shown = await asker.show();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  }
}

async function askersOf({ us, them, crew }: Place): Promise<Asker[]> {
  const keyed =
    (side: Side, scopes = allScopes) =>
    async () => ({
      authorization: `Bearer ${(await side.newKey(side.tenant.org_id, scopes)).key}`,
    });
  const askers = [
    { side: null, show: async () => ({}) },
    { side: null, show: async () => ({ authorization: `Bearer hk_test_${'a'.repeat(32)}` }) },
    ...[us, them].flatMap(side => [
      { side, show: keyed(side) },
      ...allScopes.map(scope => ({ side, show: keyed(side, [scope]) })),
      ...roles.map(role => ({
        side,
        show: async () => ({ cookie: (await side.newPerson(role)).cookie, origin: crew.address }),
      })),
    ]),
  ];
  return Promise.all(askers.map(async asker => ({ ...asker, shown: await asker.show() })));
}
