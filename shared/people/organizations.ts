import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { openEventLog } from '#shared/events/log/event_log.ts';
import { timestamp } from '#shared/values/time.ts';

export const Organization = z.object({ id: Id('org'), name: z.string() }).meta({ id: 'Organization' });
export type Organization = z.infer<typeof Organization>;

/** Creates an organization and opens its event log. Throws `conflict` when the name is taken. */
export async function createOrganization(
  db: Db,
  environment: string,
  name: string,
  now: number,
): Promise<Organization> {
  try {
    return await db.transaction(async tx => {
      const organization = await tx.one(sql.type(Organization)`
        insert into organizations (id, name, created_at) values (${newId('org', now)}, ${name}, ${timestamp(now)}) returning id, name`);
      await openEventLog(tx, { org_id: organization.id, environment });
      return organization;
    });
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError)
      throw conflict(`An organization named ${name} exists.`);
    throw error;
  }
}

export const listOrganizations = (db: Db) =>
  db.any(sql.type(Organization)`select id, name from organizations order by id`);

/** The organization with this id or exactly this name. */
export const findOrganization = (db: Db, id_or_name: string) =>
  db.maybeOne(
    sql.type(
      Organization,
    )`select id, name from organizations where id = ${id_or_name} or name = ${id_or_name} order by id = ${id_or_name} desc limit 1`,
  );
