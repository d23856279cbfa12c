import { endorseAnew } from '#shared/ledger/signing_keys.ts';
import type { Db } from '#shared/platform/db.ts';
import { seal, tryOpen } from '#shared/platform/secret_box.ts';
import type { Services } from '#shared/platform/services.ts';
import { findCanaries, forgetKeys, idOfKey, noteKey } from './canary.ts';
import { readSealed, replaceSealed, SEALED_PAGE, sealedColumns } from './sealed_columns.ts';

/**
 * Reseals under the first SECRET_KEY what is sealed under the others: a page of rows per call, repeatedly, since a process that is yet to
 * be restarted may still use another. Each row shows whether it is done, so any process can continue. After a round with nothing left, the
 * other keys are recorded as no longer needed.
 */
export function createResealing({ config, db, log }: Pick<Services, 'config' | 'db' | 'log'>): () => Promise<void> {
  const keys = config.secret_key;
  const [newest, ...others] = keys;
  let column = 0;
  let after: readonly string[] | null = null;
  let moved = 0;

  async function endRound() {
    moved += (await endorseAnew({ config, db })).length;
    if (moved > 0) log.info({ moved }, 'secrets sealed anew');
    else await db.transaction(retire);
    [column, moved] = [0, 0];
  }

  async function retire(tx: Db) {
    await noteKey(tx, keys);
    const ids = (await findCanaries(tx, keys)).filter(({ is_given }) => is_given).map(({ id }) => id);
    const done = ids.filter(id => id !== idOfKey(newest));
    if (done.length === 0) return;
    await forgetKeys(tx, done);
    log.info({ keys: done }, 'nothing is sealed with an earlier SECRET_KEY any more');
  }

  return async () => {
    if (others.length === 0) return;
    const current = sealedColumns[column];
    if (!current) return endRound();
    const rows = await readSealed(db, current, after);
    for (const row of rows) {
      if (tryOpen([newest], row.sealed, row.context) !== null) continue;
      const text = tryOpen(others, row.sealed, row.context);
      // Null if it was lost before; a row that changed meanwhile is read in the next round.
      if (text === null) continue;
      await replaceSealed(db, current, row, seal(keys, text, row.context));
      moved += 1;
    }
    after = rows.length === SEALED_PAGE ? (rows.at(-1)?.key ?? null) : null;
    if (after === null) column += 1;
  };
}
