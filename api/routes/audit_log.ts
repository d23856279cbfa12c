import { route } from '#api/route.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { AuditRecord, listAudit, AuditFilters } from '#shared/interface/audit_log.ts';

export const auditLog = [
  route({
    method: 'get',
    path: '/v1/audit-log',
    operation_id: 'listAuditLog',
    tag: 'Audit log',
    summary: 'List changes, newest first',
    access: { session: 'administer' },
    version: { of: ['audit_log'] },
    query: AuditFilters.extend(pageQuery),
    responses: [[200, 'A page of audit records', PageOf(AuditRecord).meta({ id: 'AuditRecordPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listAudit(db, caller, query, pageRequest(config.secret_key, 'audit_log', caller, query)),
  }),
];
