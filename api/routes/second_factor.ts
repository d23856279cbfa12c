import { z } from 'zod';
import { raise, recordFactor, remove } from '#api/second_factor_changes.ts';
import { reply, route } from '#api/route.ts';
import { exactlyOne } from '#shared/json/json_schema.ts';
import { conflict, unprocessable, orNotFound } from '#shared/interface/errors.ts';
import { returnAttempt, subjects, takeAttempt } from '#shared/people/attempt_limits.ts';
import {
  countRecoveryCodes,
  FirstRecoveryCodes,
  RecoveryCode,
  RecoveryCodes,
  replaceRecoveryCodes,
  useRecoveryCode,
} from '#shared/people/recovery_codes.ts';
import { claimEnrollment, readSecondFactor, renewRecoveryCodes, SecondFactor } from '#shared/people/second_factors.ts';
import { Session } from '#shared/people/sessions.ts';
import { beginTotp, confirmTotp, TotpCode, TotpSecret, useTotp } from '#shared/people/totp.ts';

const Shown = z
  .strictObject({ code: TotpCode.optional(), recovery_code: RecoveryCode.optional() })
  .refine(codes => Object.keys(codes).length === 1, 'needs either code or recovery_code')
  .meta({
    id: 'ShownFactor',
    examples: [{ code: '123456' }],
    override: exactlyOne(['code', 'recovery_code']),
  });

export const secondFactor = [
  route({
    method: 'get',
    path: '/v1/second-factor',
    operation_id: 'getSecondFactor',
    tag: 'Second factor',
    summary: 'Read your second factors',
    access: { session: 'session' },
    version: { of: 'answer' },
    responses: [[200, 'Your second factors', SecondFactor]],
    handle: ({ caller }, { db }) => readSecondFactor(db, caller),
  }),

  route({
    method: 'post',
    path: '/v1/second-factor/totp',
    operation_id: 'beginTotp',
    tag: 'Second factor',
    summary: 'Start enrolling an authenticator app',
    description:
      'The secret is shown once, and waits ten minutes for a code of it. It takes the place of an app you have.',
    access: { session: 'enroll', fresh: true },
    changes: [],
    secret: true,
    responses: [[201, 'What the app has to be told', TotpSecret]],
    handle: ({ caller }, { db, config, now }) => beginTotp(db, config.secret_key, caller, now()),
  }),

  route({
    method: 'post',
    path: '/v1/second-factor/totp/confirm',
    operation_id: 'confirmTotp',
    cookies: { sets: 'session' },
    tag: 'Second factor',
    summary: 'Confirm the authenticator app with a code',
    description: 'The session counts as having shown it, and goes on under a new cookie.',
    access: { session: 'enroll' },
    changes: [],
    secret: true,
    body: z.strictObject({ code: TotpCode }).meta({ id: 'TotpConfirmation', examples: [{ code: '123456' }] }),
    responses: [[200, 'Recovery codes, if you had none', FirstRecoveryCodes]],
    handle: async ({ body, caller, request }, services) => {
      const { db, config, now } = services;
      await claimEnrollment(db, caller);
      const confirmed = await confirmTotp(db, config.secret_key, caller, body.code, now());
      if (confirmed === 'gone') throw conflict('This setup has expired. Start over to get a new key.');
      if (confirmed === 'wrong') throw wrongCode('code');
      const codes_left = await countRecoveryCodes(db, caller.user_id);
      const recovery_codes = codes_left === 0 ? await replaceRecoveryCodes(db, caller.user_id) : null;
      const done = {
        audit: [
          ...(confirmed.replaced
            ? [{ action: 'second_factor.removed' as const, target_id: caller.user_id, before: totp }]
            : []),
          { action: 'second_factor.enrolled' as const, target_id: caller.user_id, after: totp },
        ],
        request_id: request.id,
        enrollment: true,
        end_others: confirmed.replaced,
      };
      const { cookies } = await raise(db, caller, done, services);
      return reply(200, { recovery_codes }, cookies);
    },
  }),

  route({
    method: 'delete',
    path: '/v1/second-factor/totp',
    operation_id: 'removeTotp',
    tag: 'Second factor',
    summary: 'Remove the authenticator app; your other sessions end',
    access: { session: 'account', fresh: true },
    changes: [],
    errors: { '404': 'You have none' },
    responses: [[200, 'Your second factors', SecondFactor]],
    handle: async ({ caller, request }, services) =>
      orNotFound('authenticator app', await remove(services.db, caller, 'totp', request.id, services)),
  }),

  route({
    method: 'post',
    path: '/v1/second-factor/verify',
    operation_id: 'showSecondFactor',
    cookies: { sets: 'session' },
    tag: 'Second factor',
    summary: 'Verify this session with an authenticator code or a recovery code',
    description: 'The session goes on under a new cookie. After five wrong codes in 15 minutes no more are looked at.',
    access: { session: 'session' },
    errors: { '422': 'That is not a code of yours, or it was used before' },
    body: Shown,
    responses: [[200, 'The session', Session]],
    // The count of wrong codes must be kept even if the rest is rolled back, so the handler runs its own transaction.
    handle: async ({ body, caller, request }, services) => {
      const { db, config, log, now } = services;
      const { user_id } = caller;
      await takeAttempt(db, subjects.codes(user_id), now());
      const raised = await db.transaction(async tx => {
        const right = body.code
          ? await useTotp(tx, config.secret_key, user_id, body.code, now())
          : await useRecoveryCode(tx, user_id, body.recovery_code ?? '', now());
        if (!right) return null;
        const audit = body.code
          ? { action: 'second_factor.shown' as const, target_id: user_id, after: totp }
          : {
              action: 'second_factor.recovery_code_used' as const,
              target_id: user_id,
              after: { left: await countRecoveryCodes(tx, user_id) },
            };
        await returnAttempt(tx, subjects.codes(user_id));
        return raise(tx, caller, { audit: [audit], request_id: request.id }, services);
      });
      if (raised) return reply(200, raised.session, raised.cookies);
      log.warn({ user_id, org_id: caller.org_id, request_id: request.id }, 'wrong second factor');
      throw wrongCode(body.code ? 'code' : 'recovery_code');
    },
  }),

  route({
    method: 'post',
    path: '/v1/second-factor/recovery-codes',
    operation_id: 'replaceRecoveryCodes',
    tag: 'Second factor',
    summary: 'Replace your recovery codes',
    access: { session: 'account', fresh: true },
    changes: [],
    secret: true,
    responses: [[200, 'The new codes, shown once', RecoveryCodes]],
    handle: async ({ caller, request }, services) => {
      const recovery_codes = await renewRecoveryCodes(services.db, caller.user_id);
      const audit = [{ action: 'second_factor.recovery_codes_replaced' as const, target_id: caller.user_id }];
      await recordFactor(services.db, caller, { audit, request_id: request.id }, services);
      return { recovery_codes };
    },
  }),
];

const totp = { kind: 'totp' };

const wrongCode = (member: 'code' | 'recovery_code') =>
  unprocessable(
    `/${member}`,
    'wrong_code',
    member === 'code'
      ? 'That code is incorrect or was already used. Wait for the next one in your app.'
      : 'That recovery code is incorrect or was already used.',
  );
