import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Route } from '#api/route.ts';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { filesOf } from '#shared/packs/files_of.ts';
import { createShare } from '#shared/packs/store/pack_shares.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { alert } from './alert.ts';
import { entry, load } from './lists.ts';
import { shadowFinding } from './shadow_finding.ts';
import type { Client, Reply } from './client.ts';
import { event } from './make.ts';
import { exampleBody, guarded, pathOf, unusedId } from './routes.ts';
import type { World } from './world.ts';

/** What of a world is needed to fill an organization. */
export type Habitat = Pick<World, 'key' | 'client' | 'person' | 'db' | 'config' | 'analyze' | 'services' | 'tenant'>;

type Person = Awaited<ReturnType<World['person']>>;

/** An organization with one of everything: clients for keys and for people, and the id of every record. */
export type Inhabited = {
  key: Client;
  owner: Person;
  ids: string[];
  clientOf(route: Route): Client;
  /** What was answered to the requests that made the records. */
  made: { route: Route; reply: Reply }[];
};

/** Whether only people can call a route. */
export const isForPeople = (route: Route) => route.access !== 'public' && route.access.scopes === undefined;

/** Who may call each route: the client with a key of all scopes, or an owner. */
export async function callersOf({ as, person }: World): Promise<(route: Route) => Client> {
  const owner = await person('owner');
  return route => (isForPeople(route) ? owner : as);
}

/** An event with every member there is. */
export const fullEvent = (options: Parameters<typeof event>[0] = {}) =>
  event({
    payee_name: 'Café',
    ...options,
    more: {
      evidence: [
        { kind: 'acme.note', value: 'text', media_type: 'text/plain', encoding: 'utf8', label: 'a note' },
        { kind: 'psp.webhook', value: { headers: {}, body: '{}' } },
      ],
      signature: 'eyJhbGciOiJFUzI1NiJ9..c2ln',
      description: 'weather',
      resource_url: 'https://api.example.com/v1/weather',
      category: '5734',
      mandate_id: newId('mnd'),
      instrument: { type: 'card', id: 'tok_1', last4: '4242' },
      failure: { code: 'declined', message: 'no funds' },
      context: { run_id: 'r', tool_name: 't', tool_call_id: 'call_0', attempt: 1, human_present: false },
      metadata: { project: 'forecast', nested: { list: [1, 2.5, null] } },
      ...options.more,
    },
  });

/** Fills an organization: events that were analyzed, an alert, and whatever the examples of the interface create. */
export async function inhabit(world: Habitat, tenant = world.tenant): Promise<Inhabited> {
  const { key, client, person, db, config, analyze } = world;
  const keyed = client((await key(tenant.org_id)).key);
  const owner = await person('owner', { of: tenant.org_id, second_factor: true });
  await person('developer', { of: tenant.org_id });
  const clientOf = (route: Route) => (isForPeople(route) ? owner : keyed);

  const endpoint = await createEndpoint(db, config, tenant, { url: 'https://hooks.example.com/in' }, Date.now());
  const data = { alert_id: newId('alr'), event_id: newId('evt') };
  await insertDeliveries(db, tenant, [{ type: 'alert.created', data }], Date.now());

  // Whom the example of POST /v1/screen asks for is on a list.
  await load(db, [entry('1', 'Acme Shipping Ltd')], { name: 'inhabited' });
  await load(db, [entry('1', 'Nobody Known')], { name: `own-${tenant.org_id.slice(-6)}`, org_id: tenant.org_id });

  const first = fullEvent();
  const others = [
    event({ agent: 'agent-2', payee: 'domain:two.example.com' }),
    // The example of an erasure is about this one.
    event({ agent: 'agent-3', payee: 'domain:three.example.com', payment_id: 'order-4711' }),
  ];
  await keyed.post('/v1/events', { events: [first, ...others] });
  await analyze({ of: tenant });
  await publishCheckpoint(world.services, tenant);
  const { body: stored } = await keyed.get(`/v1/events/${first.id}`);
  await alert(db, tenant, { agent_id: stored.agent_id, events: [stored], subject: stored.id });
  await shadowFinding(db, tenant, { event: stored, subject: stored.id });
  for (const kind of ['events', 'alerts'])
    await keyed.put(`/v1/export-schedules/${kind}`, { format: 'ndjson', state: 'active' });

  const ids = new Set<string>([endpoint.id]);
  const made: Inhabited['made'] = [];
  for (const route of guarded.filter(({ operation_id }) => operation_id === 'createBacktest'))
    made.push({ route, reply: await owner.post(pathOf(route, DETECTOR), exampleBody(route)) });
  for (const round of [0, 1]) {
    for (const route of guarded.filter(({ method, params }) => method === 'get' && !params))
      collect(ids, (await clientOf(route).get(route.path)).body);
    const creating = guarded.filter(
      ({ method, body, changes, params }) => method === 'post' && body && changes && !params,
    );
    for (const route of round === 0 ? creating : []) {
      const example = exampleBody(route, [...ids]) as Record<string, unknown>;
      // Two organizations may trust one key, but under names of their own.
      const body = route.operation_id === 'addTrustedKey' ? { ...example, kid: `issuer-${stored.id}` } : example;
      const reply = await clientOf(route).post(route.path, body);
      made.push({ route, reply });
      collect(ids, reply.body);
    }
  }
  ids.add(await sharedPack(world, tenant));
  await leaveUnread(db, tenant);
  return { key: keyed, owner, ids: [...ids], clientOf, made };
}

/** Makes the pack of an organization ready, with some file, and shares it; answers with the id of the link. */
async function sharedPack({ db, services }: Habitat, { org_id, environment }: World['tenant']): Promise<string> {
  const pack_id = await db.oneFirst(sql.type(z.object({ id: z.string() }))`
    update packs set state = 'ready', built_in = 1, size_bytes = 4, sha256 = ${'0'.repeat(64)}, ready_at = now(), expires_at = now() + interval '1 day'
    where org_id = ${org_id} and environment = ${environment} and id = (
      select max(id) from packs where org_id = ${org_id} and environment = ${environment})
    returning id`);
  const tenant = { org_id, environment };
  await mkdir(services.storage.workshop, { recursive: true });
  const file = join(services.storage.workshop, pack_id);
  await writeFile(file, 'some');
  await services.storage.put(filesOf(tenant, pack_id, 1).zip, file);
  const { id } = await createShare(db, tenant, pack_id, { expires_in_days: 1, created_by: null }, Date.now());
  await moveVersions(db, tenant, ['packs']);
  return id;
}

/** Leaves two webhooks unread of every source. */
async function leaveUnread(db: World['db'], { org_id, environment }: World['tenant']): Promise<void> {
  for (const id of [newId('unr'), newId('unr')])
    await db.query(sql.unsafe`
      insert into unread_webhooks (org_id, environment, source_id, id, body_hash, received_at, headers, body, body_bytes, problems, tried_at)
      select org_id, environment, id, ${id}, sha256(${id}::bytea), now(), '{}', '{}', 2, '[]', now() from sources
      where org_id = ${org_id} and environment = ${environment}`);
}

/** The id of a record that this route could be asked for. */
export function idFor(route: Route, ids: readonly string[]): string | undefined {
  if (!route.params) return undefined;
  if (isOfDetector(route)) return DETECTOR;
  if (isOfExportKind(route)) return 'events';
  const unused = unusedId(route);
  const prefix = isPrefixed.test(unused) && unused.slice(0, 4);
  return ids.find(id => (prefix ? id.startsWith(prefix) : !isPrefixed.test(id)));
}

/** Asks a route for a record, with the example of its body. */
export const askFor = (client: Client, route: Route, id: string, ids: readonly string[] = []) =>
  client.send(route.method.toUpperCase(), pathOf(route, encodeURIComponent(id), ids), {
    ...(route.body && { body: JSON.stringify(exampleBody(route, ids)) }),
    headers: { 'content-type': 'application/json' },
  });

/** Detectors, and kinds of exports, are the same for every organization; how they are set is not. */
const DETECTOR = 'velocity_count';
const isOfDetector = ({ path }: Route) => path.startsWith('/v1/detectors/');
const isOfExportKind = ({ path }: Route) => path.startsWith('/v1/export-schedules/');

/** The routes that answer about one record of an organization. */
export const recordRoutes = guarded.filter(route => route.params && !isOfDetector(route) && !isOfExportKind(route));

const isPrefixed = /^[a-z]{3}_[0-9A-Z]{26}$/;

function collect(ids: Set<string>, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) collect(ids, item);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && (name === 'kid' || (name === 'id' && isPrefixed.test(member)))) ids.add(member);
    else collect(ids, member);
  }
}
