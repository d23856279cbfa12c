import test from 'ava';
import { print } from '#bin/admin/print.ts';

test('what others wrote cannot steer the terminal of the operator', t => {
  const answer = 'down\u001b[2J\u009b1m\rok \u202egnp.exe';
  const shown = 'down\\u001b[2J\\u009b1m\\u000dok \\u202egnp.exe';
  t.is(print({ answer }), `answer  ${shown}\n`);
  t.is(print([{ answer }]).split('\n')[1], shown);
  t.is(print({ answers: [answer] }), `answers  ${shown}\n`);
  t.notRegex(print({ nested: { answer } }), /[^\P{Cc}\n]/u);
  t.is(print({ note: 'line\nline, Zoë 👩‍👩‍👧' }), 'note  line\nline, Zoë 👩‍👩‍👧\n');
});
