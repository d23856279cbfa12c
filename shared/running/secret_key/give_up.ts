import { randomBytes } from 'node:crypto';
import { type AuditEntry, recordAudit } from '#shared/interface/audit_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions, type Topic } from '#shared/interface/versions.ts';
import { currentSigningKey, endorseAnew } from '#shared/ledger/signing_keys.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { seal, tryOpen } from '#shared/platform/secret_box.ts';
import type { Services } from '#shared/platform/services.ts';
import { disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { findCanaries, forgetKeys, noteKey } from './canary.ts';
import { everySealed, replaceSealed, type SealedColumn, type SealedRow, sealedColumns } from './sealed_columns.ts';

/** What cannot be decrypted without a missing SECRET_KEY, and what happens to it. */
export type Lost = {
  /** The missing keys. */
  keys: string[];
  /** Signing keys of the log that are lost. The current one is replaced. */
  log_signing_keys: string[];
  /** Public keys that are trusted again because the database has them: nothing else proves any more that they are ours. */
  public_keys: string[];
  /** Endpoints without their secret: they are disabled. */
  webhook_endpoints: string[];
  /** Sources without their secret: their webhooks are refused, and their evidence is not verified, until they get a new one. */
  sources: string[];
  /** Users whose authenticator app is lost; their recovery codes and passkeys still work. */
  second_factors: string[];
  /** Members whose notifications went to a webhook of their own: they are emailed again. */
  notification_webhooks: string[];
};

/**
 * Goes on without the missing SECRET_KEYs: replaces what can be replaced and disables the rest; changes nothing unless `confirmed`. Returns
 * what is lost.
 */
export async function giveUpLostKeys(services: Services, confirmed: boolean): Promise<Lost> {
  const previewed = new Error('only to see what it would do');
  let lost: Lost | undefined;
  try {
    await services.db.transaction(async tx => {
      lost = await giveUp(tx, services);
      if (!confirmed) throw previewed;
    });
  } catch (error) {
    if (!lost || error !== previewed) throw error;
  }
  return lost as Lost;
}

async function giveUp(db: Db, { config, now }: Services): Promise<Lost> {
  const canaries = await findCanaries(db, config.secret_key);
  const keys = canaries.filter(({ is_given }) => !is_given).map(({ id }) => id);
  const lost: Lost = {
    keys,
    log_signing_keys: [],
    public_keys: [],
    webhook_endpoints: [],
    sources: [],
    second_factors: [],
    notification_webhooks: [],
  };
  for (const column of sealedColumns) {
    for await (const row of everySealed(db, column)) {
      if (tryOpen(config.secret_key, row.sealed, row.context) !== null) continue;
      const { name, substitute, suspend } = losses[column.name];
      const by = substitute && seal(config.secret_key, nobodys(), row.context);
      await replaceSealed(db, column, row, by || null);
      if (!lost[name].includes(row.context)) lost[name].push(row.context);
      await suspend?.(db, row, now());
    }
  }
  const is_lost = Object.values(lost).some(names => names.length > 0);
  if (!is_lost) return lost;
  await db.query(sql.unsafe`delete from pending_totp`);
  lost.public_keys = await endorseAnew({ config, db }, true);
  await currentSigningKey({ config, db, now });
  await forgetKeys(db, keys);
  await noteKey(db, config.secret_key);
  return lost;
}

/** A random base32 secret: no code of an authenticator app and no signature will match. */
const nobodys = (): string => Array.from(randomBytes(40), byte => BASE32[byte % 32]).join('');
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

type Loss = {
  name: Exclude<keyof Lost, 'keys'>;
  /** Whether the column needs a value. */
  substitute: boolean;
  suspend?: (db: Db, row: SealedRow, now: number) => Promise<unknown>;
};

const losses: Record<SealedColumn['name'], Loss> = {
  'log_signing_keys.sealed_private_key': { name: 'log_signing_keys', substitute: false },
  'webhook_endpoints.sealed_secret': {
    name: 'webhook_endpoints',
    substitute: true,
    async suspend(db, { key: [org_id = '', environment = '', id = ''] }, now) {
      const after = await disableEndpoint(db, { org_id, environment }, id, now);
      const entry = { action: 'webhook_endpoint.secret_lost' as const, target_id: id, after };
      await note(db, { org_id, environment }, entry, 'webhooks', now);
    },
  },
  'webhook_endpoints.previous_sealed_secret': { name: 'webhook_endpoints', substitute: false },
  'sources.sealed_secret': {
    name: 'sources',
    substitute: false,
    suspend: (db, { key: [org_id = '', environment = '', id = ''] }, now) =>
      note(db, { org_id, environment }, { action: 'source.secret_lost' as const, target_id: id }, 'sources', now),
  },
  'notification_settings.sealed_webhook': {
    name: 'notification_webhooks',
    substitute: false,
    suspend: (db, { key: [org_id = '', environment = '', user_id = ''] }) =>
      db.query(sql.unsafe`
        update notification_settings set webhook_host = null
        where org_id = ${org_id} and environment = ${environment} and user_id = ${user_id}`),
  },
  'second_factors.sealed_secret': { name: 'second_factors', substitute: true },
};

async function note(db: Db, tenant: Tenant, entry: AuditEntry, topic: Topic, now: number): Promise<void> {
  await recordAudit(db, tenant, { actor_id: null, request_id: null }, [entry], now);
  await moveVersions(db, tenant, [topic, 'audit_log']);
}
