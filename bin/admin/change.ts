import { parseBody } from '#api/parse.ts';
import type { Db } from '#shared/platform/db.ts';
import { invalidRequest } from '#shared/interface/errors.ts';
import { type AuditEntry, recordAudit } from '#shared/interface/audit_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';
import { moveVersions, type Topic } from '#shared/interface/versions.ts';
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';

type ChangeResult<T> = { result: T; entries: AuditEntry[] };

/** Runs an operator's change in one transaction with its audit rows and the counters of its topics, as a route would. */
export function changeAsOperator<T>(
  { db, now }: Services,
  tenant: Tenant,
  topics: Topic[],
  act: (tx: Db, now: number) => Promise<ChangeResult<T>>,
): Promise<T> {
  return db.transaction(async tx => {
    const { result, entries } = await act(tx, now());
    await recordAudit(tx, tenant, { actor_id: null, request_id: null }, entries, now());
    await moveVersions(tx, tenant, entries.length > 0 ? [...topics, 'audit_log'] : topics);
    return result;
  });
}

/** The bytes of a named file. Throws `invalid_request` when it cannot be read. */
export const readInput = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: Error) => {
    throw invalidRequest(`The file ${path} cannot be read: ${error.message}.`);
  });

/** Validates JSON as the API would validate a body. Throws `invalid_request`. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  return parseBody(schema, value) as z.output<S>;
}

/** The value of a JSON file. Throws `invalid_request` when it is not JSON. */
export function parseJsonInput(path: string, bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw invalidRequest(`The file ${path} is not sound JSON: ${error.message}`);
    throw error;
  }
}
