import { createHmac, createPublicKey, verify as verifyBytes } from 'node:crypto';
import { compactVerify, flattenedVerify } from 'jose';
import { recover } from 'tiny-secp256k1';
import { createKeyResolver } from '#shared/verification/keys.ts';
import { agentSignature } from '#shared/verification/agent_signature.ts';
import { ap2Mandate } from '#shared/verification/ap2/ap2_mandate.ts';
import { pspWebhook } from '#shared/verification/psp_webhook/psp_webhook.ts';
import { sourceSignature } from '#shared/verification/source_signature.ts';
import type { Evidence, VerificationInput, Verifier } from '#shared/verification/verifier.ts';
import { x402Authorization } from '#shared/verification/x402/authorization.ts';
import * as ap2 from '#test/helpers/proofs/ap2.ts';
import * as http from '#test/helpers/proofs/http.ts';
import * as jwt from '#test/helpers/proofs/jwt.ts';
import * as x402 from '#test/helpers/proofs/x402.ts';
import type { Bench } from './run.ts';

/** Verifications per second of one thread, each kind beside the bare signature check of the library underneath, both in the same run. */
export async function verification({ figure }: Bench): Promise<void> {
  for (const { name, verifier, evidence, input, bare } of await cases()) {
    const outcome = await verifier.verify(evidence, input);
    if (outcome.result !== 'verified') throw new Error(`${name}: ${JSON.stringify(outcome.checks)}`);
    const { whole, check } = await race(() => verifier.verify(evidence, input), bare);
    const beside = `${Math.round(check).toLocaleString('en')}/s for the bare check, ratio ${(whole / check).toFixed(2)} (goal: 0.80)`;
    figure(`verified per second: ${name}`, whole, beside);
  }
}

type Case = { name: string; verifier: Verifier; evidence: Evidence; input: VerificationInput; bare: () => unknown };

async function cases(): Promise<Case[]> {
  return [
    await x402Case(),
    await ap2Case(),
    await sourceCase('ES256'),
    await sourceCase('EdDSA'),
    await agentCase('ed25519'),
    await agentCase('rsa'),
    stripeCase(),
  ];
}

async function x402Case(): Promise<Case> {
  const { payload } = await x402.signPayment();
  const evidence = x402.evidenceOf('x402.payment_payload', payload);
  const signature = Buffer.from(String(payload.payload['signature'] ?? '').slice(2), 'hex');
  const hash = Buffer.alloc(32, 7);
  return {
    name: 'x402_authorization',
    verifier: x402Authorization,
    evidence,
    input: x402.inputOf(x402.paymentEvent(), [evidence]),
    bare: () => recover(hash, signature.subarray(0, 64), (signature[64] ?? 27) === 27 ? 0 : 1, false),
  };
}

async function ap2Case(): Promise<Case> {
  const party = await ap2.newParty();
  const chain = await ap2.paymentChain(party);
  const [evidence] = jwt.evidenceOf({ 'ap2.payment_mandate': chain });
  const hops = chain.split('~~').map(hop => hop.split('~')[0] ?? '');
  if (!evidence) throw new Error('no evidence');
  return {
    name: 'ap2_mandate (two hops)',
    verifier: ap2Mandate,
    evidence,
    input: jwt.shown([evidence], [jwt.row(party.issuer, 'ap2_issuer')]),
    async bare() {
      await compactVerify(hops[0] ?? '', party.issuer.publicKey);
      await compactVerify(hops[1] ?? '', party.agent.publicKey);
    },
  };
}

async function sourceCase(alg: string): Promise<Case> {
  const key = await jwt.newKey(alg);
  const signed_input = JSON.stringify({ id: 'evt_1', text: 'x'.repeat(800) });
  const jws = await jwt.signDetached(key, signed_input);
  const [header = '', , signature = ''] = jws.split('.');
  const payload = Buffer.from(signed_input).toString('base64url');
  return {
    name: `source_signature (${alg})`,
    verifier: sourceSignature,
    evidence: { id: '', kind: 'signature', value: jws },
    input: {
      ...jwt.shown([], []),
      keys: { ...createKeyResolver([], null), source: () => key.jwk },
      signature: { jws, signed_input },
    },
    bare: () => flattenedVerify({ protected: header, payload, signature }, key.publicKey),
  };
}

async function agentCase(kind: 'ed25519' | 'rsa'): Promise<Case> {
  const key = await http.agentKey(kind);
  const request = http.signedRequest(key, http.tapLines);
  const evidence = http.evidenceOf('http.message_signature', request);
  const base = Buffer.from([...http.tapLines, `"@signature-params": ${request.headers['signature-input']}`].join('\n'));
  const signature = Buffer.from(request.headers.signature.slice('sig2=:'.length, -1), 'base64');
  const publicKey = createPublicKey({ key: key.believed.jwk as never, format: 'jwk' });
  const bare =
    kind === 'ed25519'
      ? () => verifyBytes(null, base, publicKey, signature)
      : () => verifyBytes('sha512', base, { key: publicKey, padding: RSA_PSS, saltLength: 64 }, signature);
  const event = http.reported({ resource_url: 'https://shop.example/checkout' });
  return {
    name: `agent_signature (${kind})`,
    verifier: agentSignature,
    evidence,
    input: http.shown({ event, keys: [key.believed] }),
    bare,
  };
}

const RSA_PSS = 6;

/** HMACs cost next to nothing: here it is the reading of the webhook that is measured. */
function stripeCase(): Case {
  const webhook = http.stripeWebhook();
  const evidence = http.evidenceOf('psp.webhook', webhook);
  return {
    name: 'psp_webhook (stripe)',
    verifier: pspWebhook,
    evidence,
    input: http.shown({ event: http.reported(), webhook_secret: http.stripeSecret }),
    bare: () => createHmac('sha256', http.stripeSecret.secret).update(String(webhook.body)).digest('hex'),
  };
}

const TURNS = 8;
const TURN = 250;

/** Takes turns, so that what else the machine does befalls both alike. */
async function race(whole: () => unknown, bare: () => unknown): Promise<{ whole: number; check: number }> {
  const done = { whole: 0, check: 0 };
  const spent = { whole: 0, check: 0 };
  for (let turn = 0; turn < TURNS * 2; turn += 1) {
    const who = turn % 2 === 0 ? 'whole' : 'check';
    const run = who === 'whole' ? whole : bare;
    const start = performance.now();
    let times = 0;
    while (performance.now() - start < TURN) {
      await run();
      times += 1;
    }
    // The first of each warms up.
    if (turn < 2) continue;
    done[who] += times;
    spent[who] += performance.now() - start;
  }
  return { whole: (done.whole * 1_000) / spent.whole, check: (done.check * 1_000) / spent.check };
}
