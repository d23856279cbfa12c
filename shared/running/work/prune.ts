import { BACKTEST_KEPT } from '#shared/detection/backtest/backtest_queue.ts';
import { ANSWER_KEPT } from '#shared/interface/idempotency_keys.ts';
import { IDLE, SESSION_LIFE } from '#shared/people/sessions.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import { CAPTURES_KEPT } from '#shared/sources/captures.ts';
import { REFUNDS_KEPT } from '#shared/sources/refunds.ts';
import { UNREAD_KEPT } from '#shared/sources/unread.ts';
import { INGEST_COUNTS_KEPT } from '#shared/keys/ingest_counts.ts';
import { NOTIFICATIONS_KEPT } from '#shared/people/notifications.ts';
import { SAMPLES_KEPT } from './samples.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** Expired rows: the primary key of their table, and a condition that selects them. */
type Expiring = { key: readonly string[]; expired: (now: number) => ReturnType<typeof sql.fragment> };

const atTheirTime = (now: number) => sql.fragment`expires_at <= ${timestamp(now)}`;

const expiring = {
  idempotency_keys: {
    key: ['org_id', 'environment', 'scope'],
    expired: now => sql.fragment`created_at <= ${timestamp(now - ANSWER_KEPT)}`,
  },
  setup_links: { key: ['token_hash'], expired: atTheirTime },
  sign_in_links: { key: ['token_hash'], expired: atTheirTime },
  attempt_limits: { key: ['subject'], expired: atTheirTime },
  sessions: {
    key: ['hash'],
    expired: now =>
      sql.fragment`(last_seen_at <= ${timestamp(now - IDLE)} or created_at <= ${timestamp(now - SESSION_LIFE)})`,
  },
  pending_totp: { key: ['session_id'], expired: atTheirTime },
  passkey_challenges: { key: ['session_id', 'purpose'], expired: atTheirTime },
  backtests: {
    key: ['org_id', 'environment', 'id'],
    expired: now => sql.fragment`state in ('done', 'failed') and finished_at <= ${timestamp(now - BACKTEST_KEPT)}`,
  },
  unread_webhooks: {
    key: ['org_id', 'environment', 'source_id', 'id'],
    expired: now => sql.fragment`received_at <= ${timestamp(now - UNREAD_KEPT)}`,
  },
  captures_told: {
    key: ['org_id', 'environment', 'authorization_id'],
    expired: now => sql.fragment`told_at <= ${timestamp(now - CAPTURES_KEPT)}`,
  },
  refunds_told: {
    key: ['org_id', 'environment', 'source_id', 'charge_id'],
    expired: now => sql.fragment`told_at <= ${timestamp(now - REFUNDS_KEPT)}`,
  },
  key_hours: {
    key: ['org_id', 'environment', 'key_id', 'hour'],
    expired: now => sql.fragment`hour <= ${timestamp(now - INGEST_COUNTS_KEPT)}`,
  },
  key_rejections: {
    key: ['org_id', 'environment', 'key_id', 'hour', 'code', 'path'],
    expired: now => sql.fragment`hour <= ${timestamp(now - INGEST_COUNTS_KEPT)}`,
  },
  notifications: {
    key: ['org_id', 'environment', 'user_id', 'kind', 'subject_id', 'entry_id'],
    expired: now => sql.fragment`state <> 'pending' and created_at <= ${timestamp(now - NOTIFICATIONS_KEPT)}`,
  },
  work_samples: { key: ['kind', 'minute'], expired: now => sql.fragment`minute <= ${timestamp(now - SAMPLES_KEPT)}` },
  // Of processes that ended without notice.
  worker_presence: { key: ['process_id', 'type'], expired: now => sql.fragment`seen_at <= ${timestamp(now - DAY)}` },
} satisfies Record<string, Expiring>;

/** Most rows that one statement removes. */
const BATCH = 1_000;
/** Most statements in a row for one table, while they still find something. */
const MOST_ROUNDS = 20;

/** Removes expired rows. The next round retries what failed. */
export async function prune({ db, log, now }: Pick<Services, 'db' | 'log' | 'now'>): Promise<void> {
  for (const table of Object.keys(expiring) as (keyof typeof expiring)[]) {
    try {
      for (let round = 0; round < MOST_ROUNDS; round += 1) if ((await pruneTable(db, table, now())) === 0) break;
    } catch (error) {
      warnOf(log, error, 'expired rows not removed', { table });
    }
  }
}

/** Removes a bounded number of expired rows of one table. Returns how many. */
export async function pruneTable(db: Db, table: keyof typeof expiring, now: number): Promise<number> {
  const { key, expired } = expiring[table];
  const name = sql.identifier([table]);
  const columns = sql.join(
    key.map(column => sql.identifier([column])),
    sql.fragment`, `,
  );
  const { rowCount } = await db.query(sql.unsafe`
    delete from ${name} where (${columns}) in (select ${columns} from ${name} where ${expired(now)} limit ${BATCH})`);
  return rowCount;
}
