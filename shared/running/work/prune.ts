import type { Db } from '#shared/platform/db.ts';
import { pruneBacktests } from '#shared/detection/backtest/backtest_claims.ts';
import { pruneAttemptLimits } from '#shared/people/attempt_limits.ts';
import { pruneAnswers } from '#shared/interface/idempotency_keys.ts';
import { pruneChallenges } from '#shared/people/passkeys.ts';
import { pruneSessions } from '#shared/people/sessions.ts';
import { pruneLinks } from '#shared/people/sign_in_links.ts';
import { prunePendingTotp } from '#shared/people/totp.ts';
import type { Services } from '#shared/platform/services.ts';
import { prunePresence } from '#shared/running/worker_presence.ts';

/** What expires, and the function that removes a bounded number of such rows. */
const expiring: Record<string, (db: Db, now: number) => Promise<number>> = {
  idempotency_keys: pruneAnswers,
  sign_in_links: pruneLinks,
  attempt_limits: pruneAttemptLimits,
  sessions: pruneSessions,
  pending_totp: prunePendingTotp,
  passkey_challenges: pruneChallenges,
  backtests: pruneBacktests,
  worker_presence: prunePresence,
};

/** How many times in a row a kind is asked while it still finds something. */
const MOST_ROUNDS = 20;

/** Removes rows nobody can ask for any more. What fails is tried again with the next round. */
export async function prune({ db, log, now }: Pick<Services, 'db' | 'log' | 'now'>): Promise<void> {
  for (const [table, remove] of Object.entries(expiring)) {
    try {
      for (let round = 0; round < MOST_ROUNDS; round += 1) if ((await remove(db, now())) === 0) break;
    } catch (error) {
      log.warn({ error, table }, 'expired rows not removed; it is tried again');
    }
  }
}
