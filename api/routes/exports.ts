import { z } from 'zod';
import type { Caller } from '#api/caller.ts';
import { route } from '#api/route.ts';
import { replyStored, Zip } from '#api/stored_file.ts';
import {
  createExport,
  Export,
  ExportFilters,
  exportFile,
  type ExportKind,
  exportKindNames,
  findBuiltExport,
  findExport,
  listExports,
  NewExport,
} from '#shared/exports/store/exports.ts';
import { readFilters } from '#shared/exports/kinds.ts';
import { conflict, forbidden, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { mayRole } from '#shared/interface/roles.ts';
import type { Scope } from '#shared/keys/api_keys.ts';
import { exportAccess } from '#shared/keys/export_access.ts';
import type { Config } from '#shared/settings/config.ts';

const params = z.object({ id: Id('exp') });

/** Who may read exports, each of kinds of their own. */
export const exportReaders = {
  scopes: ['events:read', 'alerts:read', 'cases:read'] as Scope[],
  session: 'read',
} as const;

/** The kinds of records that a caller may export. */
export function kindsFor(caller: Caller, environment: Config['environment']): ExportKind[] {
  return exportKindNames.filter(kind => {
    const { scopes, session } = exportAccess[kind];

    return caller.kind === 'key'
      ? scopes.some(scope => caller.scopes.includes(scope))
      : mayRole(caller.role, session, environment);
  });
}

export const exports = [
  route({
    method: 'get',
    path: '/v1/exports',
    operation_id: 'listExports',
    tag: 'Exports',
    summary: 'List exports, newest first',
    description: 'Those of kinds that the caller may read.',
    access: exportReaders,
    version: { of: ['exports'] },
    query: ExportFilters.extend(pageQuery),
    responses: [[200, 'A page of exports', PageOf(Export).meta({ id: 'ExportPage' })]],
    handle: ({ query, caller }, { db, config }) => {
      const page = pageRequest(config.secret_key, 'exports', caller, query);
      return listExports(db, caller, kindsFor(caller, config.environment), query, page);
    },
  }),

  route({
    method: 'post',
    path: '/v1/exports',
    operation_id: 'createExport',
    tag: 'Exports',
    summary: 'Export records as a file',
    description: `A worker writes all records of a kind, as they stand when it begins, into a ZIP: \`events.ndjson\`, \`events.csv\` or \`events.parquet\`, and so on, with
\`manifest.json\`, which names the file with its SHA-256, and \`manifest.jws\`, a detached signature of the manifest (RFC 7515) by a key of
\`GET /v1/keys.json\`. Events come in the order of the log, everything else newest first. Cells of CSV that a spreadsheet would take for a formula begin with
an apostrophe. Poll the export until it is ready. It is kept for 30 days. A key needs the scope that reads records of the kind;
the audit log is for people who may read it.`,
    access: { ...exportReaders, session: 'act' },
    changes: ['exports'],
    limit: 'pack',
    body: NewExport,
    errors: { '422': '`to` is not later than `from`' },
    responses: [[202, 'The export, queued', Export]],
    handle: async ({ body, caller, audit, afterCommit }, { db, config, queue, now }) => {
      if (!kindsFor(caller, config.environment).includes(body.kind)) throw refusal(caller, body.kind);
      readFilters(body.kind, body.filters ?? {});
      const created = await createExport(db, caller, body, caller.actor_id, now());
      const { id, kind, format, from, to, filters } = created;
      audit({ action: 'export.created', target_id: id, after: { kind, format, from, to, filters } });
      const { org_id, environment } = caller;
      afterCommit(() => queue.add('export', [{ org_id, environment, export_id: id }]));
      return created;
    },
  }),

  route({
    method: 'get',
    path: '/v1/exports/{id}',
    operation_id: 'getExport',
    tag: 'Exports',
    summary: 'Read one export',
    access: exportReaders,
    version: { of: ['exports'] },
    params,
    responses: [[200, 'The export', Export]],
    handle: async ({ params, caller }, { db, config }) =>
      orNotFound('export', await findExport(db, caller, params.id, kindsFor(caller, config.environment))),
  }),

  route({
    method: 'get',
    path: '/v1/exports/{id}/download',
    operation_id: 'downloadExport',
    tag: 'Exports',
    summary: 'Download an export',
    description:
      'The ZIP; `Repr-Digest` (RFC 9530) is its SHA-256, as `sha256` of the export. A download that was cut off goes on with `Range: bytes=…-`, which is answered with 206.',
    access: exportReaders,
    version: { of: ['exports'] },
    params,
    media_type: 'application/zip',
    errors: {
      '409': 'The export is not ready, or not any more',
      '416': '`Range` begins beyond the end of the file',
    },
    responses: [
      [200, 'The ZIP', Zip],
      [206, 'The part of it that `Range` asks for', Zip],
    ],
    handle: async ({ params, caller, request }, { db, config, storage }) => {
      const kinds = kindsFor(caller, config.environment);
      const { state, sha256, size_bytes, built_in } = orNotFound(
        'export',
        await findBuiltExport(db, caller, params.id, kinds),
      );
      if (state !== 'ready' || sha256 === null || size_bytes === null || built_in === null)
        throw conflict(`This export is ${state}; only one that is ready can be downloaded.`);
      const stored_as = exportFile(caller, params.id, built_in);
      return replyStored(storage, { stored_as, name: `${params.id}.zip`, size_bytes, sha256 }, request.headers);
    },
  }),
];

/** Why a caller may not export records of a kind. */
export function refusal(caller: Caller, kind: ExportKind) {
  const [scope] = exportAccess[kind].scopes;
  if (caller.kind === 'session') return forbidden(`An export of kind ${kind} is for admins and owners.`);
  if (scope === undefined)
    return forbidden(`An export of kind ${kind} is for signed-in people; API keys cannot have it.`);
  return forbidden(`This key lacks the scope ${scope}.`);
}
