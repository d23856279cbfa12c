import { NewTrustedKey, readTrustedKeys } from '#shared/keys/trusted_key_input.ts';
import { addTrustedKeys, TrustedKeyUse } from '#shared/keys/trusted_keys.ts';
import { changeAsOperator, parseInput, parseJsonInput, readInput } from './change.ts';
import { type AdminCommand, need, orgOption, tenantOf } from './command.ts';

export const trustedKeys: AdminCommand[] = [
  {
    name: 'trusted-key add',
    summary: 'Trust a key, a key set, or a root certificate from a file with a JWK, a JWKS, or PEM',
    options: [
      orgOption,
      { flags: '--use <use>', about: `${TrustedKeyUse.options.join(', ')} (default any)` },
      { flags: '--issuer <issuer>', about: 'issuer of the key' },
      { flags: '--kid <kid>', about: 'ID that signatures refer to; derived from the key by default' },
    ],
    argument: { name: '<file>', about: 'the file' },
    async run(options, services) {
      const path = need(options, 'argument');
      const { use = 'any', issuer, kid } = options;
      const body = parseInput(NewTrustedKey, { use, issuer, kid, ...contentOf(path, await readInput(path)) });
      const tenant = await tenantOf(options, services);
      const keys = await readTrustedKeys(body);
      return changeAsOperator(services, tenant, ['trusted_keys'], async (tx, now) => {
        const added = await addTrustedKeys(tx, tenant, keys, null, now);
        const entries = added.map(key => ({ action: 'trusted_key.added' as const, target_id: key.kid, after: key }));
        return { result: body.jwks ? { data: added } : added[0], entries };
      });
    },
  },
];

/** What a file holds, by its own look. */
function contentOf(path: string, bytes: Buffer) {
  const text = bytes.toString('utf8');
  if (text.includes('-----BEGIN')) return { x5c_root: text };
  const value = parseJsonInput(path, bytes);
  return typeof value === 'object' && value !== null && 'keys' in value ? { jwks: value } : { jwk: value };
}
