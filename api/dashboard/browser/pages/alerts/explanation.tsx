import { localTimes } from '#api/dashboard/browser/parts/format.ts';

/** What a detector says of what it found, its numbers set off. The first sentence says what happened; the rest, against what it was held. */
export function Explanation({ text: explanation }: { text: string }) {
  const text = localTimes(explanation);
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

/** A day, or a time, as `localTimes` writes it. */
const time = /([A-Z][a-z]{2} \d{1,2}, \d{4}(?:, \d{1,2}:\d\d:\d\d\s[AP]M)?)/;

const Numbers = ({ text }: { text: string }) => (
  <>
    {text
      .split(time)
      .map((part, at) =>
        at % 2 === 1
          ? part
          : part.split(number).map((piece, of) => (of % 2 === 1 ? <strong key={of}>{piece}</strong> : piece)),
      )}
  </>
);
