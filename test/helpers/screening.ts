import type { ExecutionContext } from 'ava';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { timestamp } from '#shared/values/time.ts';
import { entry, load } from './lists.ts';
import { event, type EventOptions } from './make.ts';
import { world } from './world.ts';
import { createHandler as createScreenHandler } from '#workers/handlers/screen.ts';

/** Two entries to match, and enough others that a list may lose one. */
export const shipping = entry('77', 'Halvorsen Ocean Shipping Ltd');
const others = Array.from({ length: 10 }, (_, index) =>
  entry(`filler-${index}`, `Quarzwerk Bergstrom ${'abcdefghij'[index]}x`),
);

/** A service whose log is screened, with an endpoint that is told of matches. In a database with others its lists are the organization's own. */
export async function screening(t: ExecutionContext, { start = Date.now(), own_database = true } = {}) {
  let time = start;
  const here = await world(t, { own_database, now: () => time });
  const { db, config, services, tenant, as } = here;
  await createEndpoint(db, config, tenant, { url: 'https://hooks.example.com/in' }, time);
  return {
    ...here,
    moveTo: (moment: number) => (time = moment),
    /** Loads a list of these entries, and enough others. */
    load: (entries: readonly ListEntry[], options: Parameters<typeof load>[2] = {}) =>
      load(db, [...entries, ...others], { now: time, ...(!own_database && { org_id: tenant.org_id }), ...options }),
    /** Entries that are nobody's. */
    fillers: (count: number) =>
      Array.from({ length: count }, (_, index) => entry(`n${index}`, `Nemo ${index} Nusquam`)),
    /** What a worker does with a job: everything that is due. */
    screen: (of = tenant, stopping = new AbortController().signal) => createScreenHandler(services, stopping)(of),
    /** Somebody is paid; answers with the payee. */
    async pay(name: string | null, options: EventOptions & { key?: string; country?: string } = {}) {
      const { key = `domain:${(name ?? 'nobody').toLowerCase().replaceAll(/\W+/g, '-')}.example.com`, country } =
        options;
      const sent = event({ at: time - 60_000, ...options });
      Object.assign(sent['payment'] as object, { payee: { key, ...(name && { name }), ...(country && { country }) } });
      const { status, body } = await as.post('/v1/events', sent);
      t.is(status, 201, JSON.stringify(body));
      return (await as.get(`/v1/events/${sent.id}`)).body.payee_id as string;
    },
    payee: async (id: string) => (await as.get(`/v1/payees/${id}`)).body,
    screenings: async (query = '') => (await as.get(`/v1/screenings?limit=200&${query}`)).body.data,
    alerts: async () => (await as.get('/v1/alerts?detector=sanctions_match&limit=200')).body.data,
    /** The webhooks that tell of matches, the first first. */
    told: async () => {
      const bodies = await db.anyFirst(sql.type(z.object({ body: z.string() }))`
        select body from webhook_deliveries where org_id = ${tenant.org_id} and type = 'screening.potential_match' order by id`);
      return bodies.map(body => JSON.parse(body).data);
    },
    /** Runs statements as the owner of the database. */
    asOwner: (...statements: string[]) => asOwnerOf(here.database, ...statements),
    /** Payees that are written straight into the table; answers with their ids. */
    async addPayees(names: readonly string[], of = tenant) {
      const rows = names.map((name, index) => [newId('pye'), `merchant:test:${index}-${newId('req')}`, name]);
      await db.query(sql.unsafe`
        with added as (
          insert into payees (org_id, environment, id, key, name, folded, first_seen_at)
          select ${of.org_id}, ${of.environment}, p.id, p.key, p.name, '', ${timestamp(time)}
          from ${sql.unnest(rows, ['text', 'text', 'text'])} as p (id, key, name)
          returning org_id, environment, id, first_seen_at)
        insert into payee_screenings (org_id, environment, payee_id, first_seen_at, due_at)
        select org_id, environment, id, first_seen_at, first_seen_at from added`);
      return rows.map(([id]) => id ?? '');
    },
    async review(id: string, decision: string, reason?: string) {
      const reply = await as.post(`/v1/screenings/${id}/review`, { decision, ...(reason && { reason }) });
      t.is(reply.status, 200, JSON.stringify(reply.body));
    },
  };
}

export type ScreeningWorld = Awaited<ReturnType<typeof screening>>;
