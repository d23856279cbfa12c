import { tryOpen, type SecretKeys } from '#shared/platform/secret_box.ts';
import type { Db } from '#shared/platform/db.ts';
import { findCanaries, idOfKey } from './canary.ts';
import { everySealed, sealedColumns } from './sealed_columns.ts';

export type SecretKeyStatus = {
  /** The given keys, the one that seals, and the missing ones. `needed`: something may be sealed with it. */
  keys: { id: string; given: boolean; seals: boolean; needed: boolean }[];
  /** The number of secrets of each kind, of those still to be resealed, and of those that no key opens. */
  secrets: { what: string; total: number; to_do: number; lost: number }[];
  /** Only the first key is needed. */
  done: boolean;
};

/** Which keys are in use now: every secret is tried. */
export async function surveySecrets(db: Db, own_keys: SecretKeys): Promise<SecretKeyStatus> {
  const canaries = await findCanaries(db, own_keys);
  const missing = canaries.filter(({ is_given }) => !is_given);
  const keys = [
    ...own_keys.map((key, index) => {
      const id = idOfKey(key);
      return { id, given: true, seals: index === 0, needed: index === 0 || canaries.some(canary => canary.id === id) };
    }),
    ...missing.map(({ id }) => ({ id, given: false, seals: false, needed: true })),
  ];
  const secrets: SecretKeyStatus['secrets'] = [];
  for (const column of sealedColumns) {
    const count = { what: column.name, total: 0, to_do: 0, lost: 0 };
    for await (const { sealed, context } of everySealed(db, column)) {
      count.total += 1;
      if (tryOpen([own_keys[0]], sealed, context) !== null) continue;
      if (tryOpen(own_keys, sealed, context) === null) count.lost += 1;
      else count.to_do += 1;
    }
    secrets.push(count);
  }
  const done = keys.every(({ seals, needed }) => seals || !needed) && secrets.every(({ to_do }) => to_do === 0);
  return { keys, secrets, done };
}
