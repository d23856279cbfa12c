import test from 'ava';
import { type Episode, joinEpisodes } from '#shared/detection/conduct/episodes.ts';
import { episodesOutside, stretchAround } from '#shared/detection/conduct/record.ts';
import { isCut } from '#shared/detection/model/near_hours.ts';
import { emptyHistory } from '#shared/detection/model/history.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { noon } from '#test/helpers/play.ts';

/** What a detector says of an agent's conduct, so long after noon. */
const found = (at: number, detector = 'spend_velocity', subject = '', agent_id = 'agt_1') => ({
  detector,
  event: { chain_seq: 1, id: 'evt_1', agent_id, payee_id: 'pye_1' },
  finding: { score: 60, title: 'Much', explanation: 'Much.', subject, seqs: [1], conduct_at: noon + at },
});

const isFanIn = (detector: string) => detector === 'payee_fan_in';
const keysOf = (list: ReturnType<typeof found>[], known = new Map<string, Episode[]>()) =>
  joinEpisodes(list, known, isFanIn).map(({ detector, finding }) => `${detector} ${finding.subject}`.trim());

test('what is found of an agent within a day of the last finding belongs to its alert, whatever finds it', t => {
  t.deepEqual(
    keysOf([found(0), found(20 * HOUR, 'amount_outlier', 'pye_2'), found(40 * HOUR, 'country_change', 'FR')]),
    ['spend_velocity', 'spend_velocity', 'spend_velocity'],
  );
  t.deepEqual(keysOf([found(0), found(25 * HOUR, 'amount_outlier', 'pye_2')]), [
    'spend_velocity',
    'amount_outlier pye_2',
  ]);
  t.deepEqual(keysOf([found(0), found(HOUR, 'amount_outlier', 'pye_2', 'agt_2')]), [
    'spend_velocity',
    'amount_outlier pye_2',
  ]);
});

test('an alert that is there already is joined, and one of a month sent at once is not', t => {
  const known = () =>
    new Map([['agt_1', [{ detector: 'payee_fan_out', subject: '', from_at: noon - 2 * HOUR, last_at: noon - HOUR }]]]);
  t.deepEqual(keysOf([found(0)], known()), ['payee_fan_out']);
  t.deepEqual(keysOf([found(3 * DAY)], known()), ['spend_velocity']);
  t.deepEqual(keysOf([found(3 * DAY, 'payee_fan_out')], known()), [`payee_fan_out from ${timestamp(noon + 3 * DAY)}`]);
  t.deepEqual(keysOf([found(-3 * DAY)], known()), ['spend_velocity'], 'nor one that came late');
});

test('what begins days after an alert that is still open is told by itself, and goes on so', t => {
  const [first, apart, later] = keysOf([found(0), found(5 * DAY), found(5 * DAY + HOUR, 'amount_outlier')]);
  t.is(first, 'spend_velocity');
  t.is(apart, `spend_velocity from ${timestamp(noon + 5 * DAY)}`);
  t.is(later, apart);
});

test('what tells of several days is added to the live alert on the same, however long ago that told of it, and to no other', t => {
  const ofDays = (at: number, subject: string) => {
    const entry = found(at, 'new_payee_high_amount', subject);
    return { ...entry, finding: { ...entry.finding, of_days: true as const } };
  };
  const known = (...more: Episode[]) =>
    new Map([['agt_1', [{ detector: 'spend_velocity', subject: '', from_at: noon, last_at: noon + HOUR }, ...more]]]);
  const of_payee = {
    detector: 'new_payee_high_amount',
    subject: 'pye_2',
    from_at: noon - 3 * DAY,
    last_at: noon - 3 * DAY,
  };
  t.deepEqual(keysOf([ofDays(0, 'pye_2'), ofDays(DAY + HOUR, 'pye_2')], known(of_payee)), [
    'new_payee_high_amount pye_2',
    'new_payee_high_amount pye_2',
  ]);
  t.deepEqual(keysOf([ofDays(0, 'pye_3'), ofDays(-3 * DAY, 'pye_3')], known(of_payee)), [
    'new_payee_high_amount pye_3',
    'new_payee_high_amount pye_3',
  ]);
  t.deepEqual(
    keysOf([ofDays(0, 'pye_2')], known({ ...of_payee, subject: `pye_2 from ${timestamp(noon)}`, closed: true })),
    [`new_payee_high_amount pye_2 from ${timestamp(noon)}`],
  );
});

test('what goes on after its alert was closed is known by the subject of that alert, of the same detector alone', t => {
  const dated = `from ${timestamp(noon)}`;
  const known = () =>
    new Map<string, Episode[]>([
      [
        'agt_1',
        [
          { detector: 'spend_velocity', subject: '', from_at: noon - 9 * DAY, last_at: noon - 9 * DAY },
          { detector: 'spend_velocity', subject: dated, from_at: noon, last_at: noon + HOUR, closed: true },
        ],
      ],
    ]);
  t.deepEqual(keysOf([found(2 * HOUR)], known()), [`spend_velocity ${dated}`]);
  t.deepEqual(keysOf([found(2 * HOUR, 'payee_fan_out')], known()), ['payee_fan_out']);
  t.deepEqual(keysOf([found(4 * DAY)], known()), [`spend_velocity from ${timestamp(noon + 4 * DAY)}`]);
});

test('what is about a payee and many agents belongs to no agent’s alert', t => {
  t.deepEqual(keysOf([found(0, 'payee_fan_in', 'pye_1'), found(HOUR, 'amount_outlier', 'pye_2'), found(2 * HOUR)]), [
    'payee_fan_in pye_1',
    'amount_outlier pye_2',
    'amount_outlier pye_2',
  ]);
});

test('late findings join what they are nearest to, in whatever order they come', t => {
  const [first, second] = [found(0), found(5 * DAY, 'amount_outlier', 'pye_2')];
  const late = [found(-20 * HOUR, 'country_change', 'FR'), found(5 * DAY - HOUR, 'country_change', 'FR')];
  t.deepEqual(keysOf([first, second, ...late]).slice(2), ['spend_velocity', 'amount_outlier pye_2']);
});

test('what a rule finds is left as it is', t => {
  const { conduct_at: _, ...finding } = found(0).finding;
  const wrong = { ...found(0), detector: 'duplicate_payment', finding };
  const told_as = { detector: 'duplicate_payment', subject: '' };
  t.deepEqual(joinEpisodes([found(0), wrong], new Map(), isFanIn)[1], { ...wrong, told_as });
});

test('an alert with the words of another detector goes by that one, dated by its conduct', t => {
  const list = [found(0), found(HOUR, 'amount_outlier', 'pye_2'), found(-HOUR)];
  const dated = (hours: number) => `from ${timestamp(noon + hours * HOUR)}`;
  t.deepEqual(
    joinEpisodes(list, new Map(), isFanIn).map(({ told_as }) => `${told_as.detector} ${told_as.subject}`),
    ['spend_velocity ', `amount_outlier pye_2 ${dated(0)}`, `spend_velocity ${dated(-1)}`],
  );
});

const moments = (...hours: number[]) =>
  hours.map(hour => ({ at: noon + hour * HOUR, usd: 1, is_new: false, excess: 0 }));

test('a stretch ends with the payment that is looked at, or begins with it where that holds more', t => {
  const times = moments(-30, -2, -1, 0);
  t.deepEqual(stretchAround(times, noon, DAY), [1, 4]);
  t.deepEqual(stretchAround(moments(0, 1, 2), noon, DAY), [0, 3]);
  t.deepEqual(
    stretchAround(moments(-24, 0), noon, DAY),
    [1, 2],
    'a day does not reach back to its own hour of the day before',
  );
});

test('it is compared with whole stretches outside it, the earliest left out, later ones counted too', t => {
  const times = moments(-80, -50, -49, -26, 0, 30, 31, 70);
  const inside = stretchAround(times, noon, DAY);
  t.deepEqual(
    episodesOutside(times, inside, DAY).map(({ payments }) => payments),
    [2, 1, 2, 1],
  );
  t.deepEqual(episodesOutside(moments(0), [0, 1], DAY), []);
  const dear = times.map((moment, index) => ({ ...moment, usd: index === 0 ? 900 : 1 }));
  t.deepEqual(
    episodesOutside(dear, inside, DAY).map(({ usd }) => usd),
    [2, 1, 2, 1, 900],
    'what was spent on the first day is known even where the day is not whole',
  );
});

test('an agent of which a flood leaves little at hand is held against its hours, where they are known', t => {
  const cut = (before: number, { complete_from = noon - 40 * DAY, hours = [] as [] | null } = {}) => {
    const at = [...Array.from({ length: before }, () => noon - 2 * DAY), ...Array.from({ length: 200 }, () => noon)];
    const payments = at.map(started_at => ({ started_at }) as never);
    return isCut({ ...emptyHistory(), payments, complete_from, hours }, noon);
  };
  t.deepEqual([cut(1), cut(31), cut(32)], [true, true, false]);
  t.true(cut(40, { complete_from: noon - DAY }), 'what is at hand does not reach back a day');
  t.false(cut(1, { hours: null }));
  t.false(cut(1, { complete_from: -Infinity }), 'there was no more');
});
