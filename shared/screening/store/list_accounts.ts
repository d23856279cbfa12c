import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { ListAccount } from '#shared/screening/account.ts';
import type { ListRef } from './screening_entries.ts';

const Account = z.object({ account: ListAccount.nullable() });

/** How the items of this version of a list were read; null when unknown. */
export const accountOf = (db: Db, { org_id, name, version }: ListRef & { version: number }) =>
  db.maybeOneFirst(sql.type(Account)`
    select account from screening_list_versions where org_id = ${org_id} and name = ${name} and version = ${version}`);

const Accounts = Account.extend({ org_id: z.string(), name: z.string() });

export type AccountOfList = (list: ListRef) => ListAccount | null;

/** The same for the current versions of all lists of these organizations. */
export async function accountsOf(db: Db, org_ids: readonly string[]): Promise<AccountOfList> {
  const rows = await db.any(sql.type(Accounts)`
    select v.org_id, v.name, v.account from screening_lists l
    join screening_list_versions v on v.org_id = l.org_id and v.name = l.name and v.version = l.version
    where l.org_id = any(${sql.array([...org_ids], 'text')}) and l.removed_at is null`);
  return list => rows.find(row => row.org_id === list.org_id && row.name === list.name)?.account ?? null;
}
