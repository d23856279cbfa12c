import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { atMost } from '#shared/values/at_most.ts';
import { type Parsed, parsed, unparsed } from '#shared/values/parsed.ts';
import { decodeBase64 } from './base64url.ts';
import { type Certificate, DIGITAL_SIGNATURE, readCertificate, SIGNS_CERTIFICATES } from './certificate.ts';

/** The key of a signer's certificate; `root` is who vouches for it, or null when the chain ends in nobody trusted. */
type CertifiedKey = { jwk: JWK; root: { issuer: string | null } | null };

/** A trusted root: PEM, and the issuer it is trusted for (null: any). */
type Root = { certificate: string; issuer: string | null };

const LONGEST_CHAIN = 8;

/**
 * Follows an `x5c` header (RFC 7515 §4.1.6: base64 DER, the signer's first, each certified by the next) to a root, by RFC 5280 §6: validity
 * at `at`, authorities entitled to certify, path lengths. The header may omit the root.
 */
export function followChain(x5c: unknown, roots: readonly Root[], at: number): Parsed<CertifiedKey> {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > LONGEST_CHAIN)
    return unparsed(`x5c must be a list of 1 to ${LONGEST_CHAIN} certificates`);
  const chain: Certificate[] = [];
  for (const text of x5c) {
    const bytes = typeof text === 'string' ? decodeBase64(text) : null;
    const certificate = bytes && readCertificate(bytes);
    if (!certificate) return unparsed('x5c must hold sound certificates in base64 DER');
    if (at < certificate.not_before || at > certificate.not_after)
      return unparsed('every certificate of x5c must have been valid then');
    chain.push(certificate);
  }
  const [signer, ...authorities] = chain;
  // An authority may sign for itself: self-signed certificates claim to be one (`openssl req -x509`).
  if (!signer || (signer.key_usage && !signer.key_usage[DIGITAL_SIGNATURE]))
    return unparsed("the first certificate of x5c must be a signer's, for a key that may sign");
  for (const [index, authority] of authorities.entries()) {
    const below = chain[index];
    if (!below || !certifies(authority, below, index))
      return unparsed('each certificate of x5c must certify the one before it');
  }
  return parsed({ jwk: signer.jwk, root: findRoot(chain, roots) });
}

function findRoot(chain: readonly Certificate[], roots: readonly Root[]): Root | null {
  const last = chain.at(-1);
  const before = chain.length - 1;
  for (const root of roots) {
    const certificate = readCertificate(root.certificate);
    if (!certificate || !last) continue;
    if (certificate.x509.fingerprint256 === last.x509.fingerprint256) return root;
    if (certifies(certificate, last, before)) return root;
  }
  return null;
}

/** Whether an authority was entitled to certify, and did; `between` is the number of authorities between it and the signer. */
function certifies(authority: Certificate, below: Certificate, between: number): boolean {
  if (!authority.is_authority || authority.path_length < between) return false;
  if (authority.key_usage && !authority.key_usage[SIGNS_CERTIFICATES]) return false;
  return isSignedBy(below, authority);
}

const MOST_LINKS = 5_000;
const links = new LRUCache<string, boolean>(atMost(MOST_LINKS));

function isSignedBy({ x509: below }: Certificate, { x509: above }: Certificate): boolean {
  const link = `${below.fingerprint256} ${above.fingerprint256}`;
  const is_certified = links.get(link) ?? (below.checkIssued(above) && below.verify(above.publicKey));
  links.set(link, is_certified);
  return is_certified;
}
