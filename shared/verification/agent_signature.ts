import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { type Checklist, createChecklist } from './checklist.ts';
import { judgeSignature } from '#shared/verification/http_signature/check_signature.ts';
import { readEvidenceObject } from '#shared/verification/http_signature/evidence_object.ts';
import { fieldValue } from '#shared/verification/http_signature/header_fields.ts';
import { covers, profiles } from '#shared/verification/http_signature/profiles.ts';
import {
  readRequest,
  readUrl,
  type RequestUrl,
  type SignedRequest,
} from '#shared/verification/http_signature/request.ts';
import { coveredLines } from '#shared/verification/http_signature/signature_base.ts';
import {
  readSignatureInputs,
  readSignatures,
  type SignatureInput,
} from '#shared/verification/http_signature/signature_fields.ts';
import { isAfterwards } from '#shared/verification/x402/against_event.ts';
import type { BelievedKey, Evidence, Outcome, VerificationInput, Verifier } from './verifier.ts';
import { parseDomainName } from '#shared/values/domain_name.ts';
import { hash, timingSafeEqual } from 'node:crypto';
import { parseDictionary } from 'structured-headers';

/**
 * The agent signed the HTTP request it paid with: HTTP Message Signatures (RFC 9421) with the tags of Web Bot Auth and of Visa's Trusted
 * Agent Protocol. Evidence: `{method, url, headers, body?}`. Of several signatures with such a tag the first by a trusted key counts,
 * otherwise the first.
 */
export const agentSignature: Verifier = {
  kind: 'agent_signature',
  version: '1',
  reads: ['http.message_signature'],
  verify(evidence, input) {
    const list = createChecklist();
    judge(evidence, input, list);
    return list.outcome() satisfies Outcome;
  },
};

/**
 * How far the agent's clock may be ahead of the reporter's. The signed end of validity is exact; reports on a completed payment may come
 * after it.
 */
const CLOCK_SKEW = 5 * MINUTE;

function judge(evidence: Evidence, input: VerificationInput, list: Checklist): boolean {
  if (evidence.value === null) return list.open('evidence', 'evidence_erased');
  const object = readEvidenceObject(evidence.value);
  const request = object ? readRequest(object) : 'it is not a JSON object';
  if (typeof request === 'string') return list.fail('evidence', 'malformed', request);
  const chosen = choose(request, input, list);
  if (!chosen) return false;
  judgeParameters(chosen, input, list);
  judgeAuthority(request.url, input.event, list);
  judgeBody(chosen.covered, request, list);
  const lines = judgeCoverage(chosen.covered, request, list);
  return lines !== null && judgeSignature({ ...chosen, lines, url: request.url }, list);
}

type Candidate = { covered: SignatureInput; tag: string; signature: Buffer; keys: readonly BelievedKey[] };

function choose(request: SignedRequest, { keys, event }: VerificationInput, list: Checklist): Candidate | null {
  const signatureInput = fieldValue(request.fields, 'signature-input');
  const signature = fieldValue(request.fields, 'signature');
  if (signatureInput === null || signature === null) {
    list.fail(
      'evidence',
      'header_missing',
      `${signature === null ? 'Signature' : 'Signature-Input'} is not in the headers`,
    );
    return null;
  }
  const inputs = readSignatureInputs(signatureInput);
  const signatures = readSignatures(signature);
  if (!inputs || !signatures) {
    list.fail(
      'evidence',
      'malformed',
      `${inputs ? 'Signature' : 'Signature-Input'} is not a dictionary as in RFC 9421`,
    );
    return null;
  }
  list.pass('evidence');
  const candidates = inputs.flatMap((covered): Candidate[] => {
    const tag = covered.parameters.get('tag');
    const bytes = signatures.get(covered.label);
    if (typeof tag !== 'string' || !profiles.has(tag) || !bytes) return [];
    const kid = covered.parameters.get('keyid');
    const signer_keys = typeof kid === 'string' ? keys.find({ use: 'agent', kid, at: event.occurred_at }) : [];
    return [{ covered, tag, signature: bytes, keys: signer_keys }];
  });
  const chosen = candidates.find(candidate => candidate.keys.length > 0) ?? candidates[0];
  if (!chosen) {
    if (inputs.some(({ label }) => signatures.has(label)))
      list.fail('tag', 'tag_not_allowed', `no signature has one of the tags ${[...profiles.keys()].join(', ')}`);
    else list.fail('label', 'malformed', 'no label of Signature-Input has a signature in Signature');
    return null;
  }
  list.pass('tag', chosen.tag);
  return chosen;
}

function judgeParameters({ covered, tag }: Candidate, { event }: VerificationInput, list: Checklist): void {
  const { parameters } = covered;
  const missing = profiles.get(tag)?.parameters.find(name => !parameters.has(name));
  if (missing) return void list.fail('parameters', 'parameter_missing', `${tag} needs ${missing}`);
  const created = parameters.get('created');
  const expires = parameters.get('expires');
  const times = typeof created === 'number' && typeof expires === 'number' && created >= 0 && expires <= LATEST;
  const texts = ['keyid', 'nonce', 'alg'].every(name => ['string', 'undefined'].includes(typeof parameters.get(name)));
  if (!times || !texts || created > expires)
    return void list.fail(
      'parameters',
      'malformed',
      'created and expires are seconds in order; keyid, nonce and alg text',
    );
  list.pass('parameters');
  const from = created * SECOND;
  const until = expires * SECOND;
  if (from <= event.occurred_at + CLOCK_SKEW) list.pass('created');
  else list.fail('created', 'signature_not_yet_valid', `created ${timestamp(from)}, ${occurred(event)}`);
  if (isAfterwards(event)) list.skip('expires', `not judged for ${event.type}`);
  else if (event.occurred_at <= until) list.pass('expires');
  else list.fail('expires', 'signature_expired', `expires ${timestamp(until)}, ${occurred(event)}`);
  if (tag !== 'web-bot-auth' && until - from > 8 * MINUTE)
    list.skip('lifetime', 'longer than the eight minutes that the Trusted Agent Protocol allows');
}

const occurred = ({ occurred_at }: ReportedEvent) => `the event occurred ${timestamp(occurred_at)}`;

/** The last second of the year 9999. */
const LATEST = 253_402_300_799;

function judgeBody(covered: SignatureInput, { fields, body }: SignedRequest, list: Checklist): void {
  const digest = fieldValue(fields, 'content-digest');
  if (digest === null || !covers(covered, 'content-digest'))
    return list.skip('content_digest', 'the signature does not cover the body');
  if (body === null) return list.skip('content_digest', 'the body is not part of the evidence');
  const matches = matchesDigest(digest, body);
  if (matches === 'unknown') list.open('content_digest', 'digest_algorithm_unknown');
  else list.check('content_digest', matches === 'yes', matches === 'no' ? 'digest_mismatch' : 'malformed');
}

function judgeCoverage(covered: SignatureInput, request: SignedRequest, list: Checklist): string | null {
  const missing = profiles.get(String(covered.parameters.get('tag')))?.missing(covered, request.fields);
  if (missing) list.fail('components', 'component_missing', `${missing} is not covered`);
  const lines = coveredLines(covered, request);
  if (typeof lines === 'string') {
    if (!missing) list.pass('components', covered.components.map(({ identifier }) => identifier).join(' '));
    return lines;
  }
  list.fail('components', lines.code, lines.detail);
  return null;
}

/**
 * Whether the request went to the payee of the event. The paid resource must be on the requested host. Without one, a payee with a domain
 * should be its host, or one above or below it; another host (a payment page, a facilitator) may be correct, which cannot be known here.
 */
function judgeAuthority(
  url: RequestUrl,
  { resource_url, payee }: Pick<ReportedEvent, 'resource_url' | 'payee'>,
  list: Checklist,
): void {
  const resource = resource_url === null ? null : readUrl(resource_url);
  if (resource) {
    const detail = `the request went to ${url.authority}, the resource is of ${resource.authority}`;
    list.check('authority', withoutWww(resource.authority) === withoutWww(url.authority), 'authority_mismatch', detail);
    return;
  }
  const domain = payee.key.startsWith('domain:') ? payee.key.slice('domain:'.length) : null;
  if (domain === null) return list.skip('authority', 'the event names neither a web resource nor a domain');
  const host = parseDomainName(url.host);
  if (host.ok && isWithin(host.value, domain)) list.pass('authority', url.authority);
  else list.open('authority', 'authority_unconfirmed', `the request went to ${url.authority}, the payee is ${domain}`);
}

const isWithin = (one: string, other: string) =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);

const withoutWww = (authority: string) => authority.replace(/^www\./, '');

/** Whether a body matches a `Content-Digest` field (RFC 9530): `unknown` if it has no secure algorithm. */
export function matchesDigest(field: string, body: string): 'yes' | 'no' | 'unknown' | 'malformed' {
  try {
    const digests = parseDictionary(field);
    let isComparable = false;
    for (const [name, algorithm] of sound) {
      const digest = digests.get(name)?.[0];
      if (digest === undefined) continue;
      if (!(digest instanceof ArrayBuffer)) return 'malformed';
      const expected = hash(algorithm, body, 'buffer');
      if (digest.byteLength !== expected.length || !timingSafeEqual(expected, new Uint8Array(digest))) return 'no';
      isComparable = true;
    }
    return isComparable ? 'yes' : 'unknown';
  } catch {
    return 'malformed';
  }
}

const sound = [
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
] as const;
