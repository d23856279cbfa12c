import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { adminOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';

test('what the rows of a file become is shown before anything is sent, without a key', async t => {
  const folder = await temporaryFolder(t);
  const put = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  // No service is there: nothing could be sent.
  const admin = adminOf(t, { DATA_DIR: join(folder, 'data') });
  const when = new Date().toISOString();
  const file = await put(
    'a.csv',
    `order,amount,paid_at\n1,12.50,${when}\n2,12.505,${when}\n3,8,yesterday\n4,8,${when}\n`,
  );
  const map = await put(
    'map.json',
    JSON.stringify({
      type: { value: 'payment.settled' },
      occurred_at: 'paid_at',
      'agent.external_id': { value: 'buyer-1' },
      'owner.external_id': { value: 'team-1' },
      'payment.payment_id': { text: 'order-{order}' },
      'payment.rail': { value: 'card' },
      'payment.status': { value: 'settled' },
      'payment.amount.value': { column: 'amount', as: 'decimal' },
      'payment.amount.unit': { value: 'minor' },
      'payment.amount.currency': { value: 'EUR' },
      'payment.payee.key': { value: 'domain:shop.example.com' },
    }),
  );
  const { data } = await admin.json('ingest', file, '--map', map, '--preview', '3');
  t.is(data.length, 3);
  t.like(data[0], {
    line: 2,
    event: { payment: { payment_id: 'order-1', amount: { value: '1250' } } },
    error: undefined,
  });
  t.like(data[1], {
    line: 3,
    event: { order: '2', amount: '12.505' },
    error: { details: [{ path: '/payment/amount/value' }] },
  });
  t.like(data[2], { line: 4, error: { details: [{ path: '/occurred_at' }] } });
  t.is((await admin.type('ingest', file, '--map', map)).code, 2);
  for (const most of ['0', 'abc', '1001'])
    t.like(await admin.error('ingest', file, '--preview', most), { exit: 2, code: 'invalid_request' });
});
