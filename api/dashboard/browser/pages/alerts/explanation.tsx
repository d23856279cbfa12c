import { localTimes } from '#api/dashboard/browser/parts/format.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

/** What a detector says of what it found, its numbers set off. The first sentence says what happened; the rest, against what it was held. */
export function Explanation({ text: explanation }: { text: string }) {
  const text = isolated(localTimes(explanation));
  const [, first = text, rest = ''] = /^(.+?(?:\.(?=\s+[\p{Lu}\d$“])|;))\s+(.*)$/su.exec(text) ?? [];
  return (
    <div class="explanation">
      <p class="lead">
        <Numbers text={first.replace(/;$/, '.')} />
      </p>
      {rest && (
        <p>
          <Numbers text={rest.charAt(0).toUpperCase() + rest.slice(1)} />
        </p>
      )}
    </div>
  );
}

/** Numbers and sums, not the digits of dates, times, ids and addresses. */
const number = /(?<![\w+\-.:…$€£¥])([$€£¥]?\d[\d,]*(?:\.\d+)?%?)(?![\w\-:…])/;

/** What stands as it is: a name that keeps to itself, and a day or a time as `localTimes` writes it. */
const whole = /(\u2068[^\u2069]*\u2069|[A-Z][a-z]{2} \d{1,2}, \d{4}(?:, \d{1,2}:\d\d:\d\d\s[AP]M)?)/;

const Numbers = ({ text }: { text: string }) => (
  <>
    {text
      .split(whole)
      .map((part, at) =>
        at % 2 === 1
          ? part
          : part.split(number).map((piece, of) => (of % 2 === 1 ? <strong key={of}>{piece}</strong> : piece)),
      )}
  </>
);
