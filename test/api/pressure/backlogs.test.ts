import test from 'ava';
import { createBacklogs } from '#api/pressure/backlogs.ts';

const acme = { org_id: 'org_1', environment: 'sandbox' };
const other = { org_id: 'org_2', environment: 'sandbox' };

/** Two logs, an analysis of so many events a second for the first, and a clock; `pass` lets a second pass. */
function logs(speed: number, limit = 60) {
  const log = { size: 0, seq: 0 };
  let seconds = 0;
  const backlogs = createBacklogs(
    limit,
    async tenants =>
      tenants.map(tenant => ({ ...tenant, ...(tenant.org_id === acme.org_id ? log : { size: 0, seq: 0 }) })),
    () => seconds,
  );
  const here = {
    backlogs,
    speed,
    /** What waits, in seconds of analysis. */
    behind: () => (log.size - log.seq) / speed,
    send(events: number) {
      log.size += events;
      backlogs.add(acme, events);
    },
    async pass() {
      seconds += 1;
      log.seq = Math.min(log.size, log.seq + here.speed);
      return backlogs.look();
    },
  };
  return here;
}

/** A client that sends all it can in batches, and waits when it is told to. Answers with how far behind each second was, and how many requests were refused. */
async function flood(here: ReturnType<typeof logs>, { a_second, seconds }: { a_second: number; seconds: number }) {
  const behind: number[] = [];
  let wait = 0;
  let refused = 0;
  for (let second = 0; second < seconds; second += 1) {
    for (let sent = 0; sent < a_second && wait <= 0; sent += 500) {
      const standing = here.backlogs.standingOf(acme);
      if (standing?.room === 0) {
        wait = standing.seconds;
        refused += 1;
      } else here.send(500);
    }
    wait -= 1;
    await here.pass();
    behind.push(here.behind());
  }
  return { behind, refused };
}

test('a client that sends more than can be analyzed is held at a minute, and analysis never runs out of work', async t => {
  for (const speed of [1_000, 4_000, 10_000]) {
    const { behind, refused } = await flood(logs(speed), { a_second: 20_000, seconds: 900 });
    const steady = behind.slice(300);
    t.true(Math.max(...steady) < 66, `${speed}: ${Math.max(...steady)}`);
    t.true(Math.min(...steady) > 54, `${speed}: ${Math.min(...steady)}`);
    t.true(refused < 900 / 2, 'it is told to wait until there is room worth coming for');
  }
});

test('what can be analyzed is never refused, and nothing is said of a log that is not behind', async t => {
  const here = logs(5_000);
  for (let second = 0; second < 300; second += 1) {
    here.send(4_500);
    t.is(here.backlogs.standingOf(acme), null);
    await here.pass();
  }
});

test('the headers shrink while a log falls behind, and another log is not touched', async t => {
  const here = logs(2_000);
  const rooms: number[] = [];
  for (let second = 0; second < 40; second += 1) {
    here.send(5_000);
    const standing = here.backlogs.standingOf(acme);
    if (standing) rooms.push(standing.room);
    await here.pass();
  }
  t.true(rooms.length > 30);
  t.deepEqual(
    rooms,
    rooms.toSorted((a, b) => b - a),
  );
  here.backlogs.add(other, 10);
  t.is(here.backlogs.standingOf(other), null);
});

test('a log whose analysis stands still is refused after about a minute, and taken again when it has been analyzed', async t => {
  const here = logs(0);
  let seconds = 0;
  for (; here.backlogs.standingOf(acme)?.room !== 0; seconds += 1) {
    here.send(200);
    await here.pass();
  }
  t.true(seconds > 40 && seconds < 80, String(seconds));
  const { seconds: wait } = here.backlogs.standingOf(acme) ?? { seconds: 0 };
  t.true(wait >= 1 && wait <= 60);
  here.speed = 2_000;
  for (let second = 0; second < 10; second += 1) await here.pass();
  t.is(here.backlogs.standingOf(acme), null);
});

test('whoever sends little is not refused, however long analysis of it takes', async t => {
  const here = logs(0);
  for (let minute = 0; minute < 50; minute += 1) {
    here.send(1);
    for (let second = 0; second < 60; second += 1) await here.pass();
    t.not(here.backlogs.standingOf(acme)?.room, 0);
  }
});

test('a log that is full stays closed until there is some room: whoever asks all the time gets no more than others', async t => {
  const here = logs(1_000, 10);
  const room = () => here.backlogs.standingOf(acme)?.room ?? Infinity;
  while (room() > 0) here.send(1_000);
  let closed = 0;
  for (; room() === 0; closed += 1) await here.pass();
  t.true(closed >= 1);
  t.true(room() >= 400, String(room()));
});

test('a limit that is off is none', async t => {
  const here = logs(0, Infinity);
  here.send(10_000_000);
  await here.pass();
  t.is(here.backlogs.standingOf(acme), null);
});

test('the longest wait is told, and none when everything is analyzed', async t => {
  const here = logs(1_000);
  here.send(10_000);
  t.true((await here.pass()) > 1);
  for (let second = 0; second < 10; second += 1) await here.pass();
  t.is(await here.pass(), 0);
});
