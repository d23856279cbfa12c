import test from 'ava';
import { liesInTheData } from '#shared/platform/lies_in_the_data.ts';
import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { troubleOfDatabase } from '#shared/platform/db.ts';
import { asOfOneServer, namingOrganization, noteSpread } from '#shared/platform/spread.ts';

/** As on a cluster. Other tests of this process are not on one. */
function heardOnCluster(error: unknown): unknown {
  noteSpread(true);
  const heard = asOfOneServer(error);
  noteSpread(false);
  return heard;
}

test('a statement of one organization names it at every join, so that one node gets all of it', t => {
  const statement = `select a.id, (select count(*) from alert_events n where n.org_id = a.org_id and n.alert_id = a.id)
    from alerts a where a.org_id = $1 and a.environment = $2`;
  t.is(
    namingOrganization(statement, ['org_1', 'sandbox']),
    statement.replace('n.org_id = a.org_id', 'n.org_id = a.org_id and n.org_id = $1 and a.org_id = $1'),
  );
});

test('a statement of several organizations, or of none, stays as it is', t => {
  const several = 'select from a join b on a.org_id = b.org_id where a.org_id = $1 or a.org_id = $2';
  t.is(namingOrganization(several, ['org_1', 'org_2']), several);
  t.not(namingOrganization(several, ['org_1', 'org_1']), several);
  const none = 'select from a join b on a.org_id = b.org_id where a.next_at <= $1';
  t.is(namingOrganization(none, ['2026-11-24']), none);
});

test('what a node says of a key that is there counts as what one server says', t => {
  const said = (message: string, code: string) => Object.assign(new Error(message), { code });
  const duplicate = said('duplicate key value violates unique constraint "events_key_102016"', 'XX000');
  t.true(heardOnCluster(duplicate) instanceof UniqueIntegrityConstraintViolationError);
  for (const other of [said('something else', 'XX000'), said('duplicate key value', '23505'), new Error('lost')])
    t.is(heardOnCluster(other), other);
});

test('what a node says of its disk, its role, its time and the data counts as what one server says', t => {
  const heard = (message: string) => heardOnCluster(Object.assign(new Error(message), { code: 'XX000' })) as Error;
  for (const [message, trouble] of [
    ['could not extend file "base/1/2": No space left on device', 'full'],
    ['cannot execute INSERT in a read-only transaction', 'read_only'],
    ['canceling statement due to lock timeout', 'slow'],
  ] as const) {
    t.is(troubleOfDatabase(heard(message)), trouble, message);
    t.false(liesInTheData(heard(message)), message);
  }
  t.true(liesInTheData(heard('new row for relation "events_102016" violates check constraint "events_check"')));
  for (const message of ['could not create distributed plan', 'attribute number 7 out of range'])
    t.false(liesInTheData(heard(message)), message);
});

test('that a node is lost in the middle of a transaction counts as a lost database', t => {
  const lost = Object.assign(new Error('failure on connection marked as essential: 10.0.0.2:5432'), { code: 'XX000' });
  t.is(troubleOfDatabase(heardOnCluster(lost) as Error), 'lost');
});
