import { createHash } from 'node:crypto';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { secp256k1 } from '#shared/verification/evm/secp256k1.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { addressOfPoint, parseSignature, recoverSigner } from '#shared/verification/evm/signature.ts';
import type { BelievedKey, VerificationInput } from '#shared/verification/verifier.ts';
import { hostOf, isWithin } from './against_event.ts';
import { type CompactJws, isSignedBy } from './compact_jws.ts';
import { addressOfDid, fromBase58, keyOfDid } from './did.ts';
import type { Proof } from './signed_artifact.ts';

/** Who may sign: the account that is paid (null when it is not known), and keys believed for the seller of a resource. */
type Seller = { account: string | null; resource_url: string };

/** Notes the signature and whether its maker may sign for the seller; returns who he is, null when that is not so. */
export async function checkSigner(
  list: Checklist,
  input: VerificationInput,
  { proof, seller }: { proof: Proof; seller: Seller },
): Promise<string | null> {
  if (proof.format === 'jws') return checkJwsSigner(list, input, { jws: proof.jws, seller });
  const signature = parseSignature(proof.signature);
  if (signature.kind === 'contract')
    return open(list, 'contract_signature', 'only the wallet’s own contract can judge it (ERC-1271)');
  if (signature.kind === 'malformed') return wrong(list, `the signature ${signature.reason}`);
  const signer = recoverSigner(proof.hash, signature.bytes);
  if (!signer) return wrong(list, 'no key made this signature');
  list.pass('signature', `signed by ${signer}`);
  const keys = believedKeys(input, seller).filter(({ jwk }) => addressOfJwk(jwk) === signer);
  return authorized(list, { signer, seller, believed: keys.length > 0, paid: isAccount(signer, seller) });
}

type Judged = { signer: string; seller: Seller; believed: boolean; paid: boolean };

function authorized(list: Checklist, { signer, seller, believed, paid }: Judged): string | null {
  if (believed || paid) {
    list.pass('signer', paid ? `${signer} is paid` : `${signer} is a trusted key`);
    return signer;
  }
  const detail = `${signer} is neither the payee’s account nor a key that is trusted for ${seller.resource_url}`;
  if (seller.account === null) list.open('signer', 'payee_not_comparable', detail);
  else list.fail('signer', 'receipt_signer_unauthorized', detail);
  return null;
}

type Signed = { jws: CompactJws; seller: Seller };

async function checkJwsSigner(
  list: Checklist,
  input: VerificationInput,
  { jws, seller }: Signed,
): Promise<string | null> {
  const receipt_keys = input.keys.find({ use: 'receipt', kid: jws.kid, at: input.event.occurred_at });
  if (receipt_keys.length > 0) {
    const maker = receipt_keys.find(({ jwk }) => isSignedBy(jws, jwk));
    // Names such as key-1 are given by many: that of another seller says nothing of this one.
    if (!maker && !receipt_keys.some(key => serves(key, seller)))
      return open(list, 'key_unknown', 'the key that is trusted under this kid is of another seller');
    if (!maker) return wrong(list, 'the key that is trusted under this kid did not sign');
    list.pass('signature', `signed by the trusted key ${maker.kid}`);
    return authorized(list, { signer: maker.thumbprint, seller, believed: serves(maker, seller), paid: false });
  }
  const jwk = keyOfDid(jws.kid);
  if (jwk) return checkOwnKey(list, input, { jws, seller, jwk });
  const address = addressOfDid(jws.kid);
  if (!address) return open(list, 'key_unknown', 'no key is trusted under this kid, and it contains none');
  if (!isSignedByAddress(jws, address)) return wrong(list, `${address} did not sign`);
  list.pass('signature', `signed by ${address}`);
  return authorized(list, { signer: address, seller, believed: false, paid: isAccount(address, seller) });
}

/** A key that came with the signature proves nothing but itself: it has to be the payee's, or be trusted. */
async function checkOwnKey(
  list: Checklist,
  input: VerificationInput,
  { jws, seller, jwk }: Signed & { jwk: JWK },
): Promise<string | null> {
  if (!isSignedBy(jws, jwk)) return wrong(list, 'the key in the kid did not sign');
  const address = addressOfJwk(jwk);
  const thumbprint = await calculateJwkThumbprint(jwk);
  list.pass('signature', `signed by ${address ?? thumbprint}`);
  const believed = believedKeys(input, seller).some(key => key.thumbprint === thumbprint);
  const paid = address ? isAccount(address, seller) : isEd25519Account(jwk, seller);
  return authorized(list, { signer: address ?? thumbprint, seller, believed, paid });
}

const wrong = (list: Checklist, detail: string) => (list.fail('signature', 'invalid_signature', detail), null);

const open = (list: Checklist, code: string, detail: string) => (list.open('signature', code, detail), null);

const believedKeys = ({ keys, event }: VerificationInput, seller: Seller): BelievedKey[] =>
  keys.find({ use: 'receipt', at: event.occurred_at }).filter(key => serves(key, seller));

/** Whether a key is anybody's, or of the host (a domain, URL or did:web) that serves the resource. */
function serves({ issuer }: BelievedKey, { account, resource_url }: Seller): boolean {
  if (issuer === null) return true;
  if (account !== null && issuer.toLowerCase() === account.toLowerCase()) return true;
  const domain = issuer.replace(/^did:web:/, '').replace(/^domain:/, '');
  const host = hostOf(resource_url);
  const owner = hostOf(domain.includes('://') ? domain : `https://${domain}`);
  return host !== null && owner !== null && isWithin(host, owner);
}

const isAccount = (address: string, { account }: Seller): boolean => account?.toLowerCase() === address;

/** A Solana account is the Ed25519 key that signs for it, in base58. */
const isEd25519Account = ({ crv, x }: JWK, { account }: Seller): boolean =>
  crv === 'Ed25519' && account !== null && fromBase58(account)?.toString('base64url') === x;

function addressOfJwk({ kty, crv, x = '', y = '' }: JWK): string | null {
  if (kty !== 'EC' || crv !== 'secp256k1') return null;
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return point.length === 65 ? addressOfPoint(point) : null;
}

/** ES256K does not say which of two keys signed. */
function isSignedByAddress({ alg, signed, signature }: CompactJws, address: string): boolean {
  if (alg !== 'ES256K') return false;
  const digest = createHash('sha256').update(signed).digest();
  return ([0, 1] as const).some(recovery_id => {
    try {
      const point = secp256k1().recover(digest, signature, recovery_id, false);
      return point !== null && addressOfPoint(point) === address;
    } catch {
      return false;
    }
  });
}
