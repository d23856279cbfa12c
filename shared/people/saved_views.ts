import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { conflict, forbidden, unprocessable } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { line } from '#shared/values/text.ts';
import { timestamp } from '#shared/values/time.ts';

/** So many an organization may have: a menu of more is read by nobody. */
const MOST_VIEWS = 200;

const PageAddress = z
  .string()
  .regex(/^\/[a-z][a-z-]{0,39}$/, 'must be the address of a list in the dashboard, such as /events')
  .meta({ description: 'the list in the dashboard', examples: ['/events'] });

/** A list of the dashboard as a member has filtered it, for all members. */
export const SavedView = z
  .object({
    id: Id('viw'),
    page: PageAddress,
    name: z.string(),
    query: z.string().meta({ description: 'the query of its address: filters and sort order' }),
    created_at: Timestamp,
    created_by: Id('usr'),
  })
  .meta({ id: 'SavedView' });
export type SavedView = z.infer<typeof SavedView>;

export const NewSavedView = z
  .strictObject({
    page: PageAddress,
    name: line(60),
    query: z
      .string()
      .max(2_000)
      .regex(/^[\x21-\x7e]*$/, 'must be a query as in an address, without spaces')
      .meta({ examples: ['status=failed&period=today'] }),
  })
  .meta({
    id: 'NewSavedView',
    examples: [{ page: '/events', name: 'Failed today', query: 'status=failed&period=today' }],
  });
export type NewSavedView = z.infer<typeof NewSavedView>;

export const SavedViewFilters = z.strictObject({ page: PageAddress.optional() });
export type SavedViewFilters = z.infer<typeof SavedViewFilters>;

const columns = sql.fragment`id, page, name, query, created_at, created_by`;

/** The saved views of a tenant, newest first. */
export async function listSavedViews(
  db: Db,
  { org_id, environment }: Tenant,
  { page: of }: SavedViewFilters,
  page: PageRequest,
): Promise<Page<SavedView>> {
  const rows = await db.any(sql.type(SavedView)`
    select ${columns} from saved_views
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      of !== undefined && sql.fragment`page = ${of}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ id }) => id);
}

/** Saves a view. Throws `conflict` where the page has one of that name, `unprocessable` where there are 200. */
export async function saveView(
  tx: Db,
  { org_id, environment }: Tenant,
  { page, name, query }: NewSavedView,
  created_by: string,
  now: number,
): Promise<SavedView> {
  try {
    const saved = await tx.maybeOne(sql.type(SavedView)`
      insert into saved_views (org_id, environment, id, page, name, query, created_at, created_by)
      select ${org_id}, ${environment}, ${newId('viw', now)}, ${page}, ${name}, ${query}, ${timestamp(now)}, ${created_by}
      where (select count(*) from saved_views where org_id = ${org_id} and environment = ${environment}) < ${MOST_VIEWS}
      returning ${columns}`);
    if (!saved)
      throw unprocessable('', 'too_many', `An organization has at most ${MOST_VIEWS} saved views. Delete one first.`);
    return saved;
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError)
      throw conflict('This page has a saved view with that name.');
    throw error;
  }
}

/** Deletes a view, of this maker alone where one is given. Null where there is none; throws `forbidden` where it is another's. */
export async function deleteSavedView(
  tx: Db,
  { org_id, environment }: Tenant,
  id: string,
  maker: string | null,
): Promise<SavedView | null> {
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment} and id = ${id}`;
  const deleted = await tx.maybeOne(sql.type(SavedView)`
    delete from saved_views where ${sql.and([here, maker !== null && sql.fragment`created_by = ${maker}`])}
    returning ${columns}`);
  if (deleted || maker === null) return deleted;
  const others = await tx.maybeOne(sql.type(SavedView)`select ${columns} from saved_views where ${here}`);
  if (others) throw forbidden('Only the member who saved a view, an admin, or an owner can delete it.');
  return null;
}
