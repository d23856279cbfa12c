import { X509Certificate } from 'node:crypto';
import type { JWK } from 'jose';
import { z } from 'zod';
import { invalidDetail } from '#shared/interface/errors.ts';
import { exactlyOne } from '#shared/json/json_schema.ts';
import { PublicJwk, publicKeyThumbprint } from './public_key.ts';
import { Kid, type ReadKey, TrustedKeyUse } from './trusted_keys.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { line, lines } from '#shared/values/text.ts';
import { timestamp } from '#shared/values/time.ts';

const MOST_KEYS = 100;

export const NewTrustedKey = z
  .strictObject({
    kid: Kid.optional().meta({
      description: 'what signatures name the key by; the `kid` of the JWK when left out, else its RFC 7638 thumbprint',
    }),
    use: TrustedKeyUse,
    issuer: line(500).optional().meta({ description: 'whose key it is; tokens of other issuers are not accepted' }),
    jwk: PublicJwk.optional().meta({ description: 'a public key (RFC 7517)' }),
    jwks: z
      .looseObject({ keys: z.array(PublicJwk).min(1).max(MOST_KEYS) })
      .optional()
      .meta({ description: `a JWK set of 1 to ${MOST_KEYS} public keys: each becomes a record` }),
    x5c_root: lines(20_000).optional().meta({
      description: 'a root certificate (PEM): certificate chains that end in it are accepted',
    }),
    not_before: TimeInput.optional(),
    not_after: TimeInput.optional().meta({
      description: 'when left out, a certificate is trusted until it expires, and a key until it is revoked',
    }),
  })
  .refine(({ jwk, jwks, x5c_root }) => [jwk, jwks, x5c_root].filter(Boolean).length === 1, {
    error: 'must have exactly one of jwk, jwks and x5c_root',
  })
  .refine(({ jwks, kid }) => !jwks || kid === undefined, { path: ['kid'], error: 'must be left out with jwks' })
  .refine(({ not_before, not_after }) => !not_before || !not_after || not_before < not_after, {
    path: ['not_after'],
    error: 'must be later than not_before',
  })
  .meta({
    id: 'NewTrustedKey',
    override: exactlyOne(['jwk', 'jwks', 'x5c_root']),
    examples: [
      {
        use: 'ap2_issuer',
        issuer: 'https://wallet.example.com',
        jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
      },
    ],
  });
export type NewTrustedKey = z.output<typeof NewTrustedKey>;

/** Reads the keys of an input. Throws `invalid_request` for an unusable key, and for a certificate that is no authority's. */
export async function readTrustedKeys(input: NewTrustedKey): Promise<ReadKey[]> {
  const { jwk, jwks, x5c_root } = input;
  if (x5c_root) return [await readRoot(input, x5c_root)];
  if (jwk) return [await readJwk(input, jwk, '/jwk')];
  return Promise.all((jwks?.keys ?? []).map((key, index) => readJwk(input, key, `/jwks/keys/${index}`)));
}

async function readJwk(input: NewTrustedKey, jwk: PublicJwk, path: string): Promise<ReadKey> {
  const thumbprint = await publicKeyThumbprint(jwk, path);
  const kid = input.kid ?? (jwk['kid'] === undefined ? thumbprint : readKid(jwk['kid'], `${path}/kid`));
  return {
    ...common(input),
    kid,
    kind: 'jwk',
    jwk: publicMembers(jwk),
    thumbprint,
    certificate: null,
  };
}

async function readRoot(input: NewTrustedKey, pem: string): Promise<ReadKey> {
  const certificate = readCertificate(pem);
  if (!certificate?.ca)
    throw invalidDetail(
      '/x5c_root',
      'invalid_certificate',
      'x5c_root must be one certificate of a certificate authority, in PEM: -----BEGIN CERTIFICATE-----.',
    );
  const jwk = certificate.publicKey.export({ format: 'jwk' }) as JWK;
  const thumbprint = await publicKeyThumbprint(jwk, '/x5c_root');
  const { not_before, not_after, ...rest } = common(input);
  return {
    ...rest,
    not_before: not_before ?? timestamp(Date.parse(certificate.validFrom)),
    not_after: not_after ?? timestamp(Date.parse(certificate.validTo)),
    kid: input.kid ?? thumbprint,
    kind: 'x5c_root',
    jwk: publicMembers(jwk),
    thumbprint,
    certificate: certificate.toString(),
  };
}

function readCertificate(pem: string): X509Certificate | null {
  if (pem.split('-----BEGIN').length !== 2) return null;
  try {
    const certificate = new X509Certificate(pem);
    // Throws for kinds of keys that Node does not know.
    certificate.publicKey.export({ format: 'jwk' });
    return certificate;
  } catch {
    return null;
  }
}

const common = ({ use, issuer, not_before, not_after }: NewTrustedKey) => ({
  use,
  issuer: issuer ?? null,
  not_before: not_before ?? null,
  not_after: not_after ?? null,
});

function readKid(text: unknown, path: string): string {
  const kid = Kid.safeParse(text);
  if (kid.success) return kid.data;
  throw invalidDetail(path, 'invalid_format', 'kid must be 1 to 200 printable ASCII characters without spaces.');
}

/** The public members of the key itself. */
const publicMembers = ({ kty, crv, x, y, n, e, alg }: JWK): JWK =>
  Object.fromEntries(
    Object.entries({ kty, crv, x, y, n, e, alg }).filter(([, value]) => value !== undefined),
  ) as unknown as JWK;
