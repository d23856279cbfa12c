import test from 'ava';
import { HOUR } from '#shared/values/time.ts';
import { flow } from '#test/shared/assessment/flow.ts';

test('an alert on a payment in another currency says what was paid, beside its price', async t => {
  const w = await flow(t);
  const twice = (currency: string, at: number) =>
    [0, 1].map(() => w.pay({ cents: '83040', currency, at, payee: `domain:${currency}.example.com` }));
  await w.send([...twice('EUR', 0), ...twice('USD', 3 * HOUR)]);
  await w.analyze();
  const alerts = await w.alerts('detector=duplicate_payment');
  const [inEuros, inDollars] = ['€', ' $'].map(sign =>
    alerts.find(({ title }: { title: string }) => title.includes(`${sign}830.40`)),
  );
  t.regex(inEuros?.title ?? '', /^Paid .+ €830\.40 \(\$\d+\.\d\d\) twice$/);
  t.regex(inEuros?.explanation ?? '', /^Two payments of €830\.40 \(\$[\d.]+\) to /);
  t.regex(inDollars?.title ?? '', /^Paid .+ \$830\.40 twice$/);
});
