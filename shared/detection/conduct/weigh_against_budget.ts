import { countPayments } from '#shared/detection/model/counted.ts';
import type { Finding } from '#shared/detection/model/detector.ts';
import { oneDecimal, score } from '#shared/detection/model/score.ts';
import { timesText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import type { Look } from './look.ts';
import type { Told } from './words.ts';

/** What is expected so often a month is wholly ordinary: the score counts from there. */
const ORDINARY = 10;
/**
 * What a second and third group of looks adds to the score. They see the same conduct: an alert is told no better with what they add than
 * without, as measured on families of conduct and on the Sparkov generator.
 */
const SECONDARY = 0.3;
/** Nothing is known well enough to call it rarer. */
const LEAST = 1e-6;
/** Once in a thousand years, by the month: nobody knows more of what is rarer. */
const LEAST_OFTEN = 1 / 12_000;
/** From so much at stake on, in dollars, it counts. */
const STAKE_USD = 100;

/**
 * Adds up what the looks at one event came to. The strongest detector's finding, with all reasons in order of weight; null where more of it
 * is to be expected, by its record or as the beginning of something new, than the alert budget allows. The score goes by the record, and is
 * the higher the more reasons there are. `at`: when it occurred.
 */
export function weighAgainstBudget(
  looks: readonly Look[],
  at: number,
  budget: number,
): { detector: string; finding: Finding } | null {
  const strongest = [...Map.groupBy(looks, ({ group }) => group).values()]
    .flatMap(list => list.toSorted((a, b) => a.expected - b.expected).slice(0, 1))
    .toSorted((a, b) => a.expected - b.expected);
  const [first, ...others] = strongest;
  if (!first) return null;
  const added = others
    .filter(isTold)
    .reduce((sum, { expected }) => sum + SECONDARY * Math.max(0, -Math.log10(Math.max(LEAST, expected))), 0);
  const telling = looks.filter(look => look === first || look.expected < 1);
  // A new task is seen by all looks at once: it is no rarer for being seen by many.
  const begins =
    first.begins === undefined ? 0 : Math.min(...telling.map(look => look.begins ?? Infinity)) * (first.taught ?? 1);
  const by_record = Math.max(LEAST, first.expected);
  const expected = by_record + begins;
  if (expected > budget) return null;
  const reasons = telling
    .filter(look => look === first || isTold(look))
    .toSorted((a, b) => a.expected - b.expected)
    .filter((look, index, sorted) => sorted.findIndex(other => other.detector === look.detector) === index)
    .map(look => ({ look, words: look.tell() }));
  const [leading, ...further] = reasons.map(
    ({ look, words }, index) => reasonText(words, look, index === 0) + lessonText(look),
  );
  const { title, subject, price } = reasons.find(({ look }) => look === first)?.words ?? first.tell();
  const evidence = countPayments([...new Set(reasons.flatMap(({ words }) => words.payments))]);
  const elsewhere = [...new Set(reasons.flatMap(({ words }) => words.seqs ?? []))];
  // What other agents paid is not at hand.
  const stake = elsewhere.length > 0 ? 0 : Number(evidence.counted.spend_micro) / 1e6;
  const strength = Math.log10(ORDINARY / by_record) + added + 0.5 * Math.max(0, Math.log10(stake / STAKE_USD));
  return {
    detector: first.detector,
    finding: {
      score: Math.max(first.least_score ?? 0, score(strength, Math.max(0.3, Math.log10(ORDINARY / budget)))),
      title,
      explanation:
        `${leading}${further.map(reason => ` Also, ${reason}`).join('')}${namedText(evidence, elsewhere)}${(first.around ?? []).map(text => ` ${text}`).join('')} ` +
        `Going by what is usual${begins > by_record ? ' and by how often an agent begins something new' : ''}, something like this happens ${expected < LEAST_OFTEN ? `less than ${oftenText(LEAST_OFTEN)}` : `about ${oftenText(expected)}`}. An alert is raised for what happens at most ` +
        `${oftenText(budget)} (alert budget: ${budget} per agent and month).`,
      subject,
      ...(price && { price }),
      ...(elsewhere.length > 0 ? { seqs: [...evidence.seqs, ...elsewhere] } : evidence),
      conduct_at: at,
      ...(first.of_days && { of_days: true }),
    },
  };
}

/** What comes more than once in so many of its like is no reason beside another. */
const LEAST_TOLD = 10;

const isTold = ({ expected, per_month, times = 1, taught = 1 }: Look): boolean =>
  per_month * times * taught >= LEAST_TOLD * expected;

/** Which payments stand behind all reasons together; where those of other agents are among them, only how many. */
function namedText({ counted, seqs }: ReturnType<typeof countPayments>, elsewhere: readonly number[]): string {
  if (elsewhere.length > 0) return ` This covers ${seqs.length + elsewhere.length} payments.`;
  if (seqs.length === 1) return '';
  const sum = counted.spend_micro > 0n ? `, ${formatUsdMicro(counted.spend_micro)} in total` : '';
  return ` This covers ${seqs.length} payments${sum}.`;
}

/** The end of a reason's sentence, and what people taught of its like. */
const lessonText = ({ lesson }: Look): string => (lesson ? `. ${lesson}` : '.');

/** How rare it is by itself: before the time of day and what people taught, which are told apart. */
const reasonText = (
  { reason, among }: Told,
  { expected, per_month, times = 1, taught = 1 }: Look,
  isFirst: boolean,
): string => {
  const text = `${reason} (${oneInText(per_month / Math.max(LEAST, expected / times / taught), among)})`;
  return isFirst ? text.replace(/^[a-z]/, letter => letter.toUpperCase()) : text.replace(/^The /, 'the ');
};

/** What is rarer says only how far it lies from all that was seen. */
const MOST_TOLD = 10_000;

/** `one in 4,000 payments`, with no more digits than are known. */
function oneInText(times: number, among: string): string {
  if (times < 1.5) return 'not unusual by itself';
  if (times > MOST_TOLD) return `less than one in ${MOST_TOLD.toLocaleString('en-US')} ${among}`;
  const size = 10 ** Math.max(0, Math.floor(Math.log10(times)) - 1);
  return `about one in ${(Math.round(times / size) * size).toLocaleString('en-US')} ${among}`;
}

/** How often something is, from how many there are a month. */
function oftenText(per_month: number): string {
  const apart = 1 / per_month;
  if (apart <= 1.5) return `${timesText(per_month)} times a month`;
  if (apart < 24) return `once in ${apart < 3 ? oneDecimal(apart) : Math.round(apart)} months`;
  return `once in ${Math.round(apart / 12).toLocaleString('en-US')} years`;
}
