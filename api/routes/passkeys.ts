import { z } from 'zod';
import { raise, remove } from '#api/second_factor_changes.ts';
import { reply, route } from '#api/route.ts';
import { unprocessable, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { returnAttempt, subjects, takeAttempt } from '#shared/people/attempt_limits.ts';
import {
  addPasskey,
  enrollmentOptions,
  showingOptions,
  takeChallenge,
  usePasskey,
  verifyEnrollment,
} from '#shared/people/passkeys.ts';
import { claimEnrollment, Passkey, SecondFactor } from '#shared/people/second_factors.ts';
import { Session } from '#shared/people/sessions.ts';
import { named } from '#shared/values/text.ts';

const base64url = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url');

// Browsers send more members with every level of WebAuthn, so unknown ones are accepted.
const credential = <S extends z.ZodRawShape>(response: S) =>
  z.looseObject({
    id: base64url(2_000),
    rawId: base64url(2_000),
    type: z.literal('public-key'),
    response: z.looseObject({ clientDataJSON: base64url(10_000), ...response }),
    clientExtensionResults: z.looseObject({}),
  });

const Registration = credential({
  attestationObject: base64url(100_000),
  transports: z.array(z.string().max(20)).max(10).optional(),
}).meta({ id: 'PasskeyRegistration', description: 'PublicKeyCredential.toJSON() of navigator.credentials.create' });
const Assertion = credential({
  authenticatorData: base64url(10_000),
  signature: base64url(10_000),
  userHandle: base64url(200).nullish(),
}).meta({ id: 'PasskeyAssertion', description: 'PublicKeyCredential.toJSON() of navigator.credentials.get' });

const Options = z
  .looseObject({ challenge: z.string() })
  .meta({ id: 'PasskeyOptions', description: 'publicKey of navigator.credentials.create or get, in its JSON form' });

const example = { id: 'AQ', rawId: 'AQ', type: 'public-key', clientExtensionResults: {} };

export const passkeys = [
  route({
    method: 'post',
    path: '/v1/second-factor/passkeys/options',
    operation_id: 'beginPasskey',
    tag: 'Second factor',
    summary: 'Start adding a passkey; the challenge is valid for five minutes',
    access: { session: 'enroll', fresh: true },
    changes: [],
    responses: [[200, 'What to ask the authenticator for', Options]],
    handle: ({ caller }, { db, config, now }) => enrollmentOptions(db, config.base_url, caller, now()),
  }),

  route({
    method: 'post',
    path: '/v1/second-factor/passkeys',
    operation_id: 'enrollPasskey',
    cookies: { sets: 'session' },
    tag: 'Second factor',
    summary: 'Add a passkey with the authenticator’s response',
    description: 'The session counts as having shown it, and goes on under a new cookie.',
    access: { session: 'enroll' },
    errors: { '409': 'It is enrolled already', '422': 'It is not an answer to the challenge of this session' },
    body: z.strictObject({ name: named(100), response: Registration }).meta({
      id: 'NewPasskey',
      examples: [
        { name: 'laptop', response: { ...example, response: { clientDataJSON: 'e30', attestationObject: 'oA' } } },
      ],
    }),
    responses: [[201, 'The passkey', Passkey]],
    // The challenge must stay used up even if the rest is rolled back, so the handler runs its own transaction.
    handle: async ({ body, caller, request }, services) => {
      const { db, config, now } = services;
      const challenge = await takeChallenge(db, caller.session_id, 'enroll', now());
      const verified = challenge && (await verifyEnrollment(config.base_url, challenge, body.response));
      if (!verified) throw notVerified();
      return db.transaction(async tx => {
        await claimEnrollment(tx, caller);
        const passkey = await addPasskey(tx, caller.user_id, body.name, verified, now());
        const after = { kind: 'passkey', id: passkey.id, name: passkey.name };
        const audit = [{ action: 'second_factor.enrolled' as const, target_id: caller.user_id, after }];
        const { cookies } = await raise(tx, caller, { audit, request_id: request.id, enrollment: true }, services);
        return reply(201, passkey, cookies);
      });
    },
  }),

  route({
    method: 'delete',
    path: '/v1/second-factor/passkeys/{id}',
    operation_id: 'removePasskey',
    tag: 'Second factor',
    summary: 'Remove a passkey; your other sessions end',
    access: { session: 'account', fresh: true },
    changes: [],
    params: z.object({ id: Id('psk') }),
    responses: [[200, 'Your second factors', SecondFactor]],
    handle: async ({ caller, params, request }, services) =>
      orNotFound('passkey', await remove(services.db, caller, params.id, request.id, services)),
  }),

  route({
    method: 'post',
    path: '/v1/second-factor/passkeys/challenge',
    operation_id: 'challengePasskey',
    tag: 'Second factor',
    summary: 'Request a passkey challenge, valid for five minutes',
    access: { session: 'session' },
    changes: [],
    responses: [[200, 'What to ask the authenticator for', Options]],
    handle: ({ caller }, { db, config, now }) => showingOptions(db, config.base_url, caller, now()),
  }),

  route({
    method: 'post',
    path: '/v1/second-factor/passkeys/verify',
    operation_id: 'showPasskey',
    cookies: { sets: 'session' },
    tag: 'Second factor',
    summary: 'Verify this session with the authenticator’s response',
    description: 'The session goes on under a new cookie. Wrong answers count together with wrong codes.',
    access: { session: 'session' },
    errors: { '422': 'It is not an answer of one of your passkeys to the challenge of this session' },
    body: z.strictObject({ response: Assertion }).meta({
      id: 'ShownPasskey',
      examples: [
        {
          response: {
            ...example,
            response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA', userHandle: null },
          },
        },
      ],
    }),
    responses: [[200, 'The session', Session]],
    handle: async ({ body: { response }, caller, request }, services) => {
      const { db, config, log, now } = services;
      const { user_id, session_id } = caller;
      await takeAttempt(db, subjects.codes(user_id), now());
      const challenge = await takeChallenge(db, session_id, 'show', now());
      const raised = await db.transaction(async tx => {
        const id = challenge && (await usePasskey(tx, config.base_url, { user_id, challenge, response }, now()));
        if (!id) return null;
        await returnAttempt(tx, subjects.codes(user_id));
        const audit = [{ action: 'second_factor.shown' as const, target_id: user_id, after: { kind: 'passkey', id } }];
        return raise(tx, caller, { audit, request_id: request.id }, services);
      });
      if (raised) return reply(200, raised.session, raised.cookies);
      log.warn({ user_id, org_id: caller.org_id, request_id: request.id }, 'wrong second factor');
      throw notVerified();
    },
  }),
];

const notVerified = () =>
  unprocessable(
    '/response',
    'not_verified',
    'This is not an answer of your passkey to the last challenge. Begin again.',
  );
