import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { activateSecret, rotateSecret } from '#shared/webhooks/webhook_endpoints.ts';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { type Received, receiver, type ReceiverAnswer, serviceSignature } from '#test/helpers/receiver.ts';
import { webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

const GIVEN = 'a secret of the operator with é, 32 or more';

/** A world whose clock is moved by hand, with an endpoint of a given secret; `told` is what the receiver got of one delivery. */
async function rotating(t: ExecutionContext, answer?: (request: Received, index: number) => ReceiverAnswer) {
  let passed = 0;
  const { url, received } = await receiver(t, answer);
  const world = await webhookWorld(t, { now: () => Date.now() + passed, first_wait: 100 });
  const { config, db, deliver, endpoint, now, states, tenant, work } = world;
  const old = await endpoint(url, GIVEN);
  work();
  let delivered = 0;
  return {
    received,
    old: old.secret,
    pass: (time: number) => (passed += time),
    rotate: async (secret?: string) => (await rotateSecret(db, config, tenant, { id: old.id, secret }, now())).secret,
    activate: () => activateSecret(db, tenant, old.id, now()),
    async told(): Promise<Received> {
      await deliver();
      delivered += 1;
      await until(async () => (await states())['delivered'] === delivered);
      const last = received.at(-1);
      if (!last) throw new Error('nothing came');
      return last;
    },
  };
}

/** Whether receivers that know this one secret accept: one of the specification, and one of Standard Webhooks. */
function acceptedBy(secret: string, request: Received): [service: boolean, standard: boolean] {
  const service = request.headers['service-signature'] === serviceSignature(secret, request);
  return [service, standardSignatures(request).includes(standardSignature(secret, request))];
}

const headerOf = ({ headers }: Received, name: string) => String(headers[name]);
const standardSignatures = (request: Received) => headerOf(request, 'webhook-signature').split(' ');

function standardSignature(secret: string, request: Received): string {
  const webhook = secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: 'raw' });
  const at = new Date(Number(headerOf(request, 'webhook-timestamp')) * 1_000);
  return webhook.sign(headerOf(request, 'webhook-id'), at, request.body.toString());
}

test('a receiver checks every delivery with the secret it has: before, during and after a rotation', async t => {
  const { old, pass, rotate, told } = await rotating(t);
  t.deepEqual(acceptedBy(old, await told()), [true, true], 'before');
  const fresh = await rotate();
  t.regex(fresh, /^whsec_/);
  for (const time of [0, 12 * HOUR, 12 * HOUR - MINUTE]) {
    pass(time);
    const during = await told();
    t.deepEqual(acceptedBy(old, during), [true, true], 'who has the old secret notices nothing');
    t.deepEqual(acceptedBy(fresh, during), [false, true]);
    t.is(standardSignatures(during).length, 2);
  }
  pass(MINUTE);
  const after = await told();
  t.deepEqual(acceptedBy(fresh, after), [true, true], 'after 24 hours');
  t.deepEqual(acceptedBy(old, after), [false, false]);
  t.is(standardSignatures(after).length, 1);
});

test('activating a rotation makes the new secret the only one at once', async t => {
  const { activate, old, rotate, told } = await rotating(t);
  await t.throwsAsync(activate(), { message: /^No rotation of this endpoint is under way/ });
  const fresh = await rotate('another secret of the operator, 32 or more');
  t.deepEqual(acceptedBy(old, await told()), [true, true]);
  await activate();
  const after = await told();
  t.deepEqual(acceptedBy(fresh, after), [true, true]);
  t.deepEqual(acceptedBy(old, after), [false, false]);
  await t.throwsAsync(activate(), { code: 'conflict' });
});

test('a second rotation replaces a new secret that was lost, and receivers stay with the old one for 24 hours more', async t => {
  const { old, pass, rotate, told } = await rotating(t);
  const lost = await rotate();
  pass(23 * HOUR);
  const fresh = await rotate();
  pass(23 * HOUR);
  const during = await told();
  t.deepEqual(acceptedBy(old, during), [true, true]);
  t.deepEqual(acceptedBy(fresh, during), [false, true]);
  t.deepEqual(acceptedBy(lost, during), [false, false]);
  pass(HOUR);
  t.deepEqual(acceptedBy(fresh, await told()), [true, true]);
});

test('a secret that is rotated or activated between attempts counts for the next one', async t => {
  const changed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { received, rotate, activate, old, told } = await rotating(t, (_request, index) => {
    const change = changed[index];
    return change ? response => void change.promise.then(() => response.writeHead(500).end()) : 200;
  });
  const delivered = told();
  await until(() => received.length === 1);
  const fresh = await rotate();
  changed[0]?.resolve();
  await until(() => received.length === 2);
  await activate();
  changed[1]?.resolve();
  await delivered;
  const [first, second, third] = received;
  if (!first || !second || !third) return t.fail();
  t.deepEqual(acceptedBy(old, first), [true, true]);
  t.deepEqual(
    [acceptedBy(old, second), acceptedBy(fresh, second)],
    [
      [true, true],
      [false, true],
    ],
  );
  t.deepEqual(acceptedBy(fresh, third), [true, true]);
});
