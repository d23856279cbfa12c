import test from 'ava';
import { createChecklist } from '#shared/verification/checklist.ts';

const outcome = (...steps: ('pass' | 'fail' | 'open' | 'skip')[]): string => {
  const list = createChecklist();
  for (const step of steps) list[step]('step', 'code');
  return list.outcome().result;
};

test('one failure decides, what is open leaves it open, and what does not apply changes nothing', t => {
  t.is(outcome('pass', 'skip'), 'verified');
  t.is(outcome('pass', 'open', 'skip'), 'inconclusive');
  t.is(outcome('open', 'fail', 'pass'), 'failed');
});

test('what evidence quotes is cut, and neither breaks lines nor turns them around', t => {
  const list = createChecklist();
  list.fail('step', 'code', 'a\nb\u202ec\u0000d\u2028e');
  list.fail('step', 'code', `${'x'.repeat(498)}\u{1f600}${'x'.repeat(100)}`);
  const [marked, cut] = list.outcome().checks;
  t.is(marked?.detail, 'a\ufffdb\ufffdc\ufffdd\ufffde');
  t.is(cut?.detail, `${'x'.repeat(498)}\ufffd…`);
});
