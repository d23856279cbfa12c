/** What a detector says of what it found, its numbers set off. The first sentence says what happened; the rest, against what it was held. */
export function Explanation({ text }: { text: string }) {
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
const number = /(?<![\w\-.:…])(\$?\d[\d,]*(?:\.\d+)?(?: %)?)(?![\w\-:…])/;

const Numbers = ({ text }: { text: string }) => (
  <>{text.split(number).map((part, at) => (at % 2 === 1 ? <strong key={at}>{part}</strong> : part))}</>
);
