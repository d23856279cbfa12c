import test from 'ava';
import { amountsText } from '#shared/detection/model/wording.ts';
import { HOUR, MINUTE, noon, play, type EventStep } from '#test/helpers/play.ts';

test('amounts that differ read differently, and as people write them where they can', t => {
  const told: [bigint, bigint, string, string][] = [
    [10_000_000n, 10_001_000n, '$10.00', '$10.001'],
    [1_234_000_001n, 1_234_000_000n, '$1,234.000001', '$1,234.00'],
    [10_001_000n, 20_000_000n, '$10.00', '$20.00'],
    [10_001_000n, 10_001_000n, '$10.00', '$10.00'],
    [999_999n, 1_000_000n, '$0.999999', '$1.00'],
    [0n, 1n, '$0.00', '$0.000001'],
  ];
  for (const [a, b, first, second] of told) t.deepEqual(amountsText(a, b), [first, second]);
});

test('an amount just above its threshold is not told as if it were the threshold', t => {
  const told: [detector: string, steps: EventStep[], title: string, explanation: RegExp][] = [
    [
      'price_drift',
      [
        { at: noon, usd: 10, type: 'payment.authorized', payment_id: 'p' },
        { at: noon + MINUTE, usd: 10.001, payment_id: 'p' },
      ],
      '$10.001 settled to {payee}, $10.00 authorized',
      /: \$0\.001 more\./,
    ],
    [
      'new_payee_high_amount',
      [{ at: noon, usd: 100.001 }],
      '$100.001 to {payee}, never paid before',
      /above \$100\.00\. /,
    ],
    ['spend_velocity', [{ at: noon - HOUR / 2, usd: 50.004 }], '$50.004 spent within 1 h', /above \$50\.00\. /],
  ];
  for (const [detector, steps, title, explanation] of told) {
    const [finding] = play(steps, detector);
    t.is(finding?.title, title);
    t.regex(finding?.explanation ?? '', explanation);
  }
});

test('what somebody set is told as it was set', t => {
  const earlier = Array.from({ length: 5 }, (_, index) => ({
    at: noon - (6 - index) * HOUR,
    usd: 10,
    resource_key: 'r',
  }));
  const [finding] = play([...earlier, { at: noon, usd: 12.5, resource_key: 'r' }], 'price_drift', {
    params: { ratio: 1.25 },
  });
  t.regex(finding?.explanation ?? '', /raised from \$12\.50: 1\.25 times the median/);
});

test('a moment is not told as if it were a time that passed', t => {
  const [twice] = play([{ at: noon }, { at: noon + 40 }], 'duplicate_payment');
  t.regex(twice?.explanation ?? '', /, less than 1 s apart\./);
  const at_once = play(
    Array.from({ length: 21 }, () => ({ at: noon })),
    'velocity_count',
  );
  t.regex(at_once[0]?.explanation ?? '', /They were made at 2026-11-20 12:00:00 UTC and cost/);
});

test('a long list of countries is not told in full', t => {
  const high_risk_countries = ['IR', 'KP', 'MM', 'SY', 'CU', 'RU', 'BY', 'IR'];
  const [finding] = play([{ at: noon, payee_country: 'IR' }], 'country_change', { params: { high_risk_countries } });
  t.regex(finding?.explanation ?? '', /\(Iran, North Korea, Myanmar \(Burma\), Syria, Cuba, and 2 more\);/);
});
