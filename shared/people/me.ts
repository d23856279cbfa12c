import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Id } from '#shared/interface/ids.ts';
import { Scope } from '#shared/keys/api_keys.ts';
import { Organization } from './organizations.ts';
import { listMemberships, Membership, RoleName, User } from './users.ts';
import { needsSecondFactor } from '#shared/interface/roles.ts';

const Environment = z.enum(['sandbox', 'production']);

const KeyMe = z
  .object({
    kind: z.literal('key'),
    organization: Organization,
    environment: Environment,
    scopes: z.array(Scope),
    key: z.object({ id: Id('key'), name: z.string(), prefix: z.string() }),
  })
  .meta({ id: 'KeyMe' });

export const SessionMe = z
  .object({
    kind: z.literal('session'),
    user: User,
    organization: Organization.meta({ description: 'the one this session acts in' }),
    organizations: z.array(Membership).meta({ description: 'by name; at most 200, that one among them' }),
    role: RoleName,
    environment: Environment,
    second_factor: z.object({
      required: z.boolean().meta({ description: 'whether your role needs one here' }),
      enrolled: z.boolean(),
      shown: z.boolean().meta({ description: 'whether one was shown in this session' }),
    }),
  })
  .meta({ id: 'SessionMe' });
export type SessionMe = z.infer<typeof SessionMe>;

/** The caller: a key or a person. */
export const Me = z.discriminatedUnion('kind', [KeyMe, SessionMe]).meta({ id: 'Me' });

const KeyRow = z.object({ organization_name: z.string(), name: z.string(), prefix: z.string() });

type KeyCaller = { org_id: string; environment: string; actor_id: string; scopes: Scope[] };

/** What a key sees of itself. */
export async function readKeyMe(db: Db, { org_id, environment, actor_id, scopes }: KeyCaller): Promise<unknown> {
  const { organization_name, name, prefix } = await db.one(sql.type(KeyRow)`
    select o.name as organization_name, k.name, k.prefix from api_keys k join organizations o on o.id = k.org_id
    where k.org_id = ${org_id} and k.id = ${actor_id}`);
  const organization = { id: org_id, name: organization_name };
  return { kind: 'key', organization, environment, scopes, key: { id: actor_id, name, prefix } };
}

type Person = {
  user_id: string;
  email: string;
  name: string | null;
  environment: string;
  second_factor: 'not_needed' | 'shown' | 'needed' | 'missing';
};

/** What a person sees of themselves, acting in `org_id`. Null when they are no member of it. */
export async function readSessionMe(db: Db, person: Person, org_id: string): Promise<SessionMe | null> {
  const { user_id, email, name, second_factor } = person;
  const environment = Environment.parse(person.environment);
  const organizations = [...(await listMemberships(db, user_id, org_id))];
  const here = organizations.find(({ id }) => id === org_id);
  if (!here) return null;
  const { role } = here;
  return {
    kind: 'session',
    user: { id: user_id, email, name },
    organization: { id: here.id, name: here.name },
    organizations,
    role,
    environment,
    second_factor: {
      required: needsSecondFactor(role, environment),
      enrolled: second_factor === 'shown' || second_factor === 'needed',
      shown: second_factor === 'shown',
    },
  };
}
