import test from 'ava';
import { addIdentities, MOST_NAMESAKES, type PayeeState, unpaidPayee } from '#shared/detection/model/payees.ts';
import { events, noon } from '#test/helpers/play.ts';

test('of hundreds of payees of one name no more are looked at than are loaded: those registered first', t => {
  const identity = 'name:smith';
  const states = Array.from({ length: 300 }, (_, n): [string, PayeeState] => [
    `pye_${String(n).padStart(4, '0')}`,
    unpaidPayee({ key: `merchant:psp:${n}`, name: 'Smith', type: null }),
  ]);
  for (const [, state] of states) state.namesakes.set(identity, []);
  const waiting = new Map([[identity, new Set(states.map(([, state]) => state))]]);
  const [unpaid, ...paid] = states.toReversed();
  for (const [payee_id, state] of paid) {
    const [event] = events([{ at: noon, payee_id, payee_name_key: 'smith' }]);
    if (event) addIdentities(event, state, waiting);
  }
  t.deepEqual(
    unpaid?.[1].namesakes.get(identity)?.map(({ payee_id }) => payee_id),
    states.slice(0, MOST_NAMESAKES).map(([payee_id]) => payee_id),
  );
});
