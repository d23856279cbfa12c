import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Problem } from '#shared/interface/errors.ts';
import { AgentLabel } from './agent_records.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** Most labels of an agent, and of one change. */
const MOST_LABELS = 20;

const labels = z.array(AgentLabel).max(MOST_LABELS).default([]);

export const LabelChange = z
  .strictObject({ add: labels, remove: labels })
  .refine(({ add, remove }) => add.length + remove.length > 0, 'must name a label to add or one to remove')
  .refine(({ add, remove }) => !add.some(label => remove.includes(label)), {
    path: ['remove'],
    message: 'must not hold a label that is in add too',
  })
  .meta({ id: 'LabelChange', override: { minProperties: 1 }, examples: [{ add: ['procurement'], remove: ['trial'] }] });
export type LabelChange = z.infer<typeof LabelChange>;

/**
 * Adds and removes labels of an agent; what is there already, or is not there, stays as it is. Returns the labels before and
 * after; null when there is no such agent. Throws `unprocessable` where it would have more than 20. Runs in a transaction: of two
 * changes at once, the second sees what the first did.
 */
export async function changeLabels(
  tx: Db,
  { org_id, environment }: Tenant,
  id: string,
  { add, remove }: LabelChange,
): Promise<{ before: readonly string[]; after: readonly string[] } | null> {
  const before = await tx.maybeOneFirst(sql.type(z.object({ labels: z.array(z.string()) }))`
    select labels from agents where org_id = ${org_id} and environment = ${environment} and id = ${id} for update`);
  if (!before) return null;
  const after = [...new Set([...before.filter(label => !remove.includes(label)), ...add])];
  if (after.length > MOST_LABELS)
    throw new Problem(
      'unprocessable',
      `An agent has at most ${MOST_LABELS} labels; with this change it would have ${after.length}.`,
    );
  await tx.query(sql.unsafe`
    update agents set labels = ${sql.array(after, 'text')}
    where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
  return { before, after };
}
