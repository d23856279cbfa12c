import { LRUCache } from 'lru-cache';
import { sessionCookie } from './cookies.ts';
import { readTogether } from '#shared/platform/read_together.ts';
import { tokenHash } from '#shared/platform/token.ts';
import { keyEnvironmentMismatch, unauthorized } from '#shared/interface/errors.ts';
import { findKeyOwners, type KeyOwner, type Scope, touchApiKeys } from '#shared/keys/api_keys.ts';
import { isWithin } from '#shared/keys/ip_range.ts';
import { findSessions, type SessionOwner, touchSession } from '#shared/people/sessions.ts';
import { needsSecondFactor, type Role } from '#shared/interface/roles.ts';
import type { Services } from '#shared/platform/services.ts';
import { MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import type { Versions } from '#shared/interface/versions.ts';

/** Who calls with an API key: every query is bound to its organization and environment. */
export type KeyCaller = {
  kind: 'key';
  org_id: string;
  environment: string;
  actor_id: string;
  scopes: Scope[];
  default_source_id: string;
};

/** Who calls in a session: a person, acting in one organization with one role. */
export type SessionCaller = {
  kind: 'session';
  org_id: string;
  environment: string;
  actor_id: string;
  user_id: string;
  session_id: string;
  role: Role;
  email: string;
  name: string | null;
  organization_name: string;
  /** `needed`: they have one and have not shown it in this session. `missing`: their role needs one here and they have none. */
  second_factor: 'not_needed' | 'shown' | 'needed' | 'missing';
  /** Whether they have shown their second factor within 15 minutes, or, without one, signed in. */
  fresh: boolean;
  /** As they were when the session was looked up. */
  versions: Versions;
};

export type Caller = KeyCaller | SessionCaller;

/** What a request brings to show who calls: a key wins over a cookie. */
type Credentials = { authorization: string | undefined; cookie(name: string): string | undefined; ip: string };

export type Callers = {
  /** Finds out who calls. Throws `unauthorized` or `key_environment_mismatch`. */
  identify(credentials: Credentials): Promise<Caller>;
  /** Forgets what is known of a key, so that its revocation takes effect at once here. */
  forget(key_id: string): void;
  /** Writes down when keys were last used. Runs on a timer and at the end. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** How long an answer of the database about a key is believed: a revoked key stops everywhere within this time. */
const BELIEVED = 10 * SECOND;
const FLUSH_EVERY = 10 * SECOND;
/** How long after showing who they are people may change what guards their account. */
const FRESH = 15 * MINUTE;

export function createCallers({ config, db, log, now }: Pick<Services, 'config' | 'db' | 'log' | 'now'>): Callers {
  const key_owners = new LRUCache<string, { owner: Promise<KeyOwner | undefined>; at: number; key_id?: string }>({
    max: 10_000,
  });
  let uses = new Map<string, { org_id: string; key_id: string; at: string }>();

  const sessionOf = readTogether(hashes => findSessions(db, hashes, config.environment, now()));
  const keyOwnerOf = readTogether(hashes => findKeyOwners(db, hashes));

  function ownerOf(key: string): Promise<KeyOwner | undefined> {
    const name = tokenHash(key).toString('hex');
    const entry = key_owners.get(name);
    if (entry && entry.at > now() - BELIEVED) return entry.owner;
    // The promise is kept, so that a burst of requests with one key asks once.
    const fresh: { owner: Promise<KeyOwner | undefined>; at: number; key_id?: string } = {
      owner: keyOwnerOf(name),
      at: now(),
    };
    key_owners.set(name, fresh);
    fresh.owner.then(
      owner => owner && (fresh.key_id = owner.key_id),
      () => key_owners.delete(name),
    );
    return fresh.owner;
  }

  async function identify({ authorization, cookie, ip }: Credentials): Promise<Caller> {
    if (authorization !== undefined) return identifyKey(authorization, ip);
    const token = cookie(sessionCookie(config));
    const session = token ? await sessionOf(tokenHash(token).toString('hex')) : undefined;
    if (!session) throw unauthorized();
    await touchSession(db, session, now());
    return sessionCaller(session, config.environment, now());
  }

  async function identifyKey(authorization: string, ip: string): Promise<KeyCaller> {
    const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    const env = /^hk_(test|live)_[A-Za-z0-9]{32}$/.exec(key ?? '')?.[1];
    if (!key || !env) throw unauthorized();
    if (env !== config.key_env) {
      throw keyEnvironmentMismatch(
        `This deployment is ${config.environment}: it takes keys that begin with hk_${config.key_env}_.`,
      );
    }
    const owner = await ownerOf(key);
    if (!owner || owner.revoked_at !== null) throw unauthorized();
    const { org_id, key_id, scopes, default_source_id, expires_at, ip_allowlist } = owner;
    if (expires_at && Date.parse(expires_at) <= now()) throw unauthorized();
    if (ip_allowlist && !isWithin(ip, ip_allowlist)) {
      // Whoever found it is not told that it is one; its owner may want to know.
      log.info({ key_id, ip }, 'key refused: it does not work from this address');
      throw unauthorized();
    }
    uses.set(key_id, { org_id, key_id, at: timestamp(now()) });
    return { kind: 'key', org_id, environment: config.environment, actor_id: key_id, scopes, default_source_id };
  }

  async function flush() {
    const batch = uses;
    if (batch.size === 0) return;
    uses = new Map();
    try {
      await touchApiKeys(db, [...batch.values()]);
    } catch (error) {
      log.warn({ error }, 'last_used_at not written');
      // Put back what has not been overtaken by a later use.
      uses = new Map([...batch, ...uses]);
    }
  }

  const timer = setInterval(flush, FLUSH_EVERY).unref();
  return {
    identify,
    forget: key_id => {
      // What is still being looked up may have been read before the revocation.
      for (const [name, entry] of key_owners.entries())
        if (entry.key_id === undefined || entry.key_id === key_id) key_owners.delete(name);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

function sessionCaller(session: SessionOwner, environment: string, now: number): SessionCaller {
  const { user_id, org_id, role, email, name, organization_name, size, seq, counters } = session;
  const second_factor = session.has_second_factor
    ? session.second_factor_at === null
      ? 'needed'
      : 'shown'
    : needsSecondFactor(role, environment)
      ? 'missing'
      : 'not_needed';
  return {
    kind: 'session',
    org_id,
    environment,
    actor_id: user_id,
    user_id,
    session_id: session.id,
    role,
    email,
    name,
    organization_name,
    second_factor,
    fresh: Date.parse(session.second_factor_at ?? session.created_at) > now - FRESH,
    versions: { size, seq, counters },
  };
}
