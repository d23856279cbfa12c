import test from 'ava';
import { createDisk } from '#api/pressure/disk.ts';
import { createLog } from '#shared/platform/log.ts';

const MB = 1_048_576;

/** A disk of so many MB, looked at by a clock of the test. */
function disk(total: number, { least = 1_024, is_set = false } = {}) {
  const state = { free: total, at: 0, looks: 0, broken: false };
  const { isShort } = createDisk('/data', { least: least * MB, is_set }, createLog('silent', 'test'), {
    now: () => state.at,
    read: async () => {
      state.looks += 1;
      if (state.broken) throw new Error('gone');
      return { bavail: state.free, blocks: total, bsize: MB };
    },
  });
  return { state, isShort };
}

test('a disk is short of room below the least, and a small one below a twentieth unless somebody set the least', async t => {
  for (const [total, free, is_set, short] of [
    [1_000_000, 1_023, false, true],
    [1_000_000, 1_024, false, false],
    [2_000, 101, false, false],
    [2_000, 99, false, true],
    [2_000, 1_023, true, true],
    [2_000, 1_024, true, false],
  ] as const) {
    const { state, isShort } = disk(total, { is_set });
    state.free = free;
    t.is(await isShort(), short, `${free} of ${total}, ${is_set}`);
  }
});

test('it is looked at every five seconds, once for all who ask, and is taken again when there is room', async t => {
  const { state, isShort } = disk(100_000);
  t.deepEqual(await Promise.all([isShort(), isShort()]), [false, false]);
  state.free = 0;
  state.at = 4_999;
  t.false(await isShort());
  t.is(state.looks, 1);
  state.at = 5_000;
  t.true(await isShort());
  state.free = 50_000;
  state.at = 10_000;
  t.false(await isShort());
});

test('a disk that cannot be read is believed to be as it was; one that may fill up is not looked at', async t => {
  const { state, isShort } = disk(100_000);
  state.broken = true;
  t.false(await isShort());
  const off = disk(100_000, { least: 0 });
  off.state.free = 0;
  t.false(await off.isShort());
  t.is(off.state.looks, 0);
});
