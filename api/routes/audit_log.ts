import { z } from 'zod';
import { route } from '#api/route.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { AuditRecord, listAudit } from '#shared/interface/audit_log.ts';
import { TimeFilter } from '#shared/interface/schemas.ts';
import { line } from '#shared/values/text.ts';

/** An id in its canonical form, or another name as it is: trusted keys go by their kid. */
const TargetId = line(200).overwrite(text =>
  /^[a-z]{3}_[0-9a-z]{26}$/i.test(text) ? text.slice(0, 4).toLowerCase() + text.slice(4).toUpperCase() : text,
);

export const auditLog = [
  route({
    method: 'get',
    path: '/v1/audit-log',
    operation_id: 'listAuditLog',
    tag: 'Audit log',
    summary: 'List who changed what, newest first',
    access: { session: 'administer' },
    version: { of: ['audit_log'] },
    query: z.strictObject({
      action: z
        .string()
        .regex(/^[a-z_]{1,50}\.[a-z_]{1,50}$/, 'must be an action such as key.created')
        .optional(),
      actor_id: z.union([Id('usr'), Id('key')]).optional(),
      target_id: TargetId.optional(),
      from: TimeFilter.optional().meta({ description: 'at this time or later' }),
      to: TimeFilter.optional().meta({ description: 'before this time' }),
      ...pageQuery,
    }),
    responses: [[200, 'A page of audit records', PageOf(AuditRecord).meta({ id: 'AuditRecordPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listAudit(db, caller, query, pageRequest(config.secret_key, 'audit_log', caller, query)),
  }),
];
