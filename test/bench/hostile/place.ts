import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { createApiKey, type Scope } from '#shared/keys/api_keys.ts';
import { needsSecondFactor, type Role } from '#shared/interface/roles.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { sql } from '#shared/platform/db.ts';
import { type Client, type Credential, sendingBy, shownBy } from '#test/helpers/client.ts';
import { type Habitat, inhabit } from '#test/helpers/inhabit.ts';
import { event } from '#test/helpers/make.ts';
import { createPeople } from '#test/helpers/people.ts';
import { type Answered, type Sent, sendRaw } from '#test/helpers/requests.ts';
import type { Bench } from '../run.ts';
import type { Crew } from '../faults/crew.ts';
import { counted, type Tally } from './tally.ts';

/** An organization with one of everything, its own way in for keys and people, and what nobody else may be told of it. */
export type Side = Awaited<ReturnType<typeof openSide>>;

/** Two organizations that know nothing of each other, in a service of the processes of the Procfile. */
export type Place = {
  bench: Bench;
  crew: Crew;
  us: Side;
  them: Side;
  /** Sends a request as somebody of `side` (null: nobody) and counts what comes of it. */
  ask(tally: Tally, sent: Sent, side: Side | null): Promise<Answered>;
  close(): void;
};

/** Connections that requests go over. */
const CONNECTIONS = 32;

export async function openPlace(bench: Bench, crew: Crew): Promise<Place> {
  const [us, them] = [await openSide(bench, crew, 'us'), await openSide(bench, crew, 'them')];
  const { send, close } = sendRaw(crew.address, CONNECTIONS);
  const told = (side: Side, other: Side) => [...side.ids.filter(id => !other.ids.includes(id)), side.words];
  const secretsOf = new Map<Side | null, Set<string>>([
    [us, new Set(told(them, us))],
    [them, new Set(told(us, them))],
    [null, new Set([...told(us, them), ...told(them, us)])],
  ]);
  return {
    bench,
    crew,
    us,
    them,
    ask: (tally, sent, side) => counted(tally, send, sent, secretsOf.get(side) ?? new Set()),
    close,
  };
}

async function openSide({ services }: Bench, { address }: Crew, name: string) {
  const { db, config, now } = services;
  const organization = await createOrganization(db, config.environment, `hostile ${name}`, now());
  const tenant = { org_id: organization.id, environment: config.environment };
  const key = (org_id: string, scopes: Scope[] = allScopes) =>
    createApiKey(
      db,
      { org_id, environment: config.environment, env: config.key_env, name: 'bench', scopes, created_by: null },
      now(),
    );
  const people = createPeople({ db, config, now });
  const client = (credential?: Credential) => plainClient(address, credential);
  const person = async (
    role: Role,
    { of = tenant.org_id, second_factor = needsSecondFactor(role, config.environment) } = {},
  ) => {
    const made = await people.person(role, of, second_factor);
    return { ...client({ cookie: made.cookie }), ...made };
  };
  /** Detection runs by itself here: waits for it. */
  const analyze = async () => {
    const behind = () =>
      db.oneFirst(sql.type(z.object({ behind: z.boolean() }))`
        select exists (select from event_logs l join detection_cursors c using (org_id, environment)
          where l.org_id = ${tenant.org_id} and l.size > c.seq) as behind`);
    while (await behind()) await pause(50);
    return [];
  };
  const habitat: Habitat = { key, client, person, db, config, services, tenant, analyze };
  const inhabited = await inhabit(habitat);
  // Known to nobody else, and in records of every kind that people write.
  const words = `words-of-${randomBytes(8).toString('hex')}`;
  const sent = event({ payee_name: words, more: { description: words, agent: { external_id: words, name: words } } });
  await inhabited.key.post('/v1/events', sent);
  await inhabited.owner.post('/v1/cases', { title: words, event_ids: [sent.id] });
  await inhabited.owner.post('/v1/sources', { name: words, kind: 'other', description: words });
  await analyze();
  return { ...inhabited, words, tenant, people, newKey: key, newPerson: person, analyze };
}

/** A client that promises nothing of what it is answered. */
function plainClient(address: string, credential?: Credential): Client {
  const shown = shownBy(address, credential);
  return sendingBy(async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(address + path, {
      method,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      headers: { ...shown, ...headers },
    });
    const text = await response.text();
    const is_json = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, body: is_json ? JSON.parse(text) : text };
  });
}
