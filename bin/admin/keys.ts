import { z } from 'zod';
import { invalidDetail, notFound } from '#shared/interface/errors.ts';
import { createApiKey, listApiKeys, lockApiKey, NewApiKey, revokeApiKey, Scope } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { changeAsOperator, parseInput } from './change.ts';
import { type AdminCommand, needId, needName, orgOption, tenantOf } from './command.ts';

export const keys: AdminCommand[] = [
  {
    name: 'key create',
    summary: 'Create an API key; it is shown once',
    options: [
      orgOption,
      { flags: '--name <name>', about: 'what the key is for', required: true },
      {
        flags: '--scopes <a,b|all>',
        about: `scopes, by commas, or all (default events:write; there are ${allScopes.join(', ')})`,
      },
      { flags: '--expires-at <time>', about: 'expiration, such as 2027-01-31T00:00:00Z' },
      { flags: '--ip-allowlist <a,b>', about: 'allowed networks, separated by commas, such as 203.0.113.0/24' },
    ],
    async run(options, services) {
      const { config } = services;
      const tenant = await tenantOf(options, services);
      const key = {
        ...tenant,
        env: config.key_env,
        name: needName(options),
        scopes: scopesOf(options['scopes']),
        ...parseInput(Bounds, {
          expires_at: options['expiresAt'],
          ip_allowlist: options['ipAllowlist']?.split(','),
        }),
        created_by: null,
      };
      return changeAsOperator(services, tenant, ['keys', 'sources'], async (tx, now) => {
        const created = await createApiKey(tx, key, now);
        const { key: _, ...record } = created;
        return { result: created, entries: [{ action: 'key.created', target_id: record.id, after: record }] };
      });
    },
  },
  {
    name: 'key list',
    summary: 'List the keys of an organization',
    options: [orgOption],
    run: async (options, services) => ({
      data: await listApiKeys(services.db, (await tenantOf(options, services)).org_id),
    }),
  },
  {
    name: 'key revoke',
    summary: 'Revoke an API key; it stops working within 10 seconds',
    options: [orgOption, { flags: '--id <key_…>', about: 'the key', required: true }],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      return changeAsOperator(services, tenant, ['keys'], async (tx, now) => {
        const id = needId(options, 'id', 'key');
        const before = await lockApiKey(tx, tenant, id);
        const after = before && (await revokeApiKey(tx, tenant.org_id, id, now));
        if (!after) throw notFound('key');
        return { result: after, entries: [{ action: 'key.revoked', target_id: id, before, after }] };
      });
    },
  },
];

const Bounds = NewApiKey.pick({ expires_at: true, ip_allowlist: true });

function scopesOf(text: string | undefined): Scope[] {
  if (text === undefined) return ['events:write'];
  if (text === 'all') return allScopes;
  const parsed = z
    .array(Scope)
    .min(1)
    .safeParse(text.split(',').map(scope => scope.trim()));
  if (!parsed.success)
    throw invalidDetail(
      '/scopes',
      'invalid_value',
      `--scopes takes all, or some of ${allScopes.join(', ')}, by commas.`,
    );
  return [...new Set(parsed.data)];
}
