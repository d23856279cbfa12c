import test from 'ava';
import { concatenated, sql } from '#shared/platform/db.ts';

test('pieces make the statement that a tag makes of them, whatever the number of their parameters', t => {
  const eleven = sql.fragment`f(${sql.join(
    Array.from({ length: 11 }, (_, at) => sql.fragment`${at}`),
    sql.fragment`, `,
  )})`;
  const [one, none, list] = [
    sql.fragment`a = ${'$1'}`,
    sql.fragment`now()`,
    sql.fragment`any(${sql.array([1, 2], 'int4')})`,
  ];
  const pieces = concatenated(['select ', eleven, ', ', none, ', ', one, ', ', list, ' from t']);
  const tagged = sql.fragment`select ${eleven}, ${none}, ${one}, ${list} from t`;
  t.deepEqual(pieces, { ...tagged });
  t.deepEqual(concatenated([]), { ...sql.fragment`` });
});
