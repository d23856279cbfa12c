import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { openOutput } from '#bin/admin/csv_output.ts';

test('no cell is a formula to a spreadsheet', async t => {
  const stdout = new PassThrough();
  const output = await openOutput(undefined, 'in.csv', stdout);
  await output.row(['=1+1', '+49 30', '@SUM(A1)', '-5', '\tx', '\rx', '=HYPERLINK("http://x","y")', 'a=b', '5', '']);
  await output.end();
  stdout.end();
  t.is(
    await text(stdout),
    `"'=1+1","'+49 30","'@SUM(A1)","'-5","'\tx","'\rx","'=HYPERLINK(""http://x"",""y"")",a=b,5,\n`,
  );
});
