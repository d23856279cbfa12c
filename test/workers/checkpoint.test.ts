import test, { type ExecutionContext } from 'ava';
import { latestCheckpoint } from '#shared/ledger/checkpoints.ts';
import { publicKeys } from '#shared/ledger/signing_keys.ts';
import { measureOldest } from '#shared/running/work/oldest_pending.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { SECOND } from '#shared/values/time.ts';
import { signedLog } from '#test/helpers/signed_log.ts';
import { until } from '#test/helpers/until.ts';
import { createHandler as createCheckpointHandler } from '#workers/handlers/checkpoint.ts';
import { startWorkers } from '#workers/run.ts';

/** A log, with what reconcile does each second at the time of its clock: answers with how many logs it wants signed. */
async function signing(t: ExecutionContext) {
  const here = await signedLog(t);
  const { services, db, tenant } = here;
  const reconcile = (later = 0) => reconcileKind('checkpoint', { ...services, now: () => services.now() + later });
  return {
    ...here,
    reconcile,
    work: () => createCheckpointHandler(services, new AbortController().signal)(tenant),
    latest: async () => (await latestCheckpoint(db, tenant))?.size,
    pending: async (later = 0) => {
      await measureOldest({ ...services, now: () => services.now() + later });
      const { values } = await services.metrics.oldestPending.get();
      return values.find(({ labels }) => labels['kind'] === 'checkpoint')?.value ?? 0;
    },
  };
}

test('what arrives in a quiet log is signed at the next look, and in a busy one once in ten seconds', async t => {
  const { send, reconcile, work, latest } = await signing(t);
  t.is(await reconcile(), 0, 'there is nothing in it');
  await send(3);
  t.is(await reconcile(), 1);
  await work();
  await work();
  t.is(await latest(), 3);
  t.is(await reconcile(20 * SECOND), 0);
  await send(2);
  t.is(await reconcile(5 * SECOND), 0);
  t.is(await reconcile(11 * SECOND), 1);
  await work();
  t.is(await latest(), 5);
});

test('how long the oldest event has waited for a signature is measured', async t => {
  const { send, work, pending } = await signing(t);
  await send(1);
  t.true((await pending(30 * SECOND)) >= 29);
  await work();
  t.is(await pending(), 0);
});

test('a log that must not be signed is looked at again after a minute, also when it became shorter', async t => {
  const { send, reconcile, work, latest, asOwner } = await signing(t);
  await send(4);
  await work();
  await asOwner('delete from events where chain_seq > 2; update event_logs set size = 2');
  t.is(await reconcile(11 * SECOND), 1);
  await work();
  t.is(await latest(), 4);
  t.is(await reconcile(50 * SECOND), 0);
  t.is(await reconcile(61 * SECOND), 1);
});

test('the process that signs makes its key when it starts, and signs what reconcile finds', async t => {
  const { services, send, reconcile, latest } = await signing(t);
  const workers = await startWorkers(services, ['pack']);
  t.teardown(() => workers.stop());
  await until(async () => (await publicKeys(services)).keys.length === 1);
  await send(2);
  await reconcile();
  await until(async () => (await latest()) === 2);
  t.pass();
});
