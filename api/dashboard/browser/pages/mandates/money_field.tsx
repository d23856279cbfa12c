import { useEffect, useRef, useState } from 'preact/hooks';
import { TextField } from '#api/dashboard/browser/parts/form.tsx';
import { digitsOf, type Denomination, placesOf, typedOf, unitName } from './money_text.ts';

/**
 * Money as people write it. `digits` and what `set` is handed count the smallest unit, as the API does; what is no amount is handed on as
 * it was typed, for the API to refuse. Other decimal places, because the currency is another now, mean the same words.
 */
export function MoneyField({
  label,
  digits,
  set,
  of,
  required,
  problem,
}: {
  label: string;
  digits: string;
  set: (digits: string) => void;
  of: Denomination;
  required: boolean;
  problem: string | undefined;
}) {
  const places = placesOf(of);
  const [text, setText] = useState(() => typedOf(digits, places));
  const before = useRef(places);
  const take = (typed: string) => {
    setText(typed);
    set(typed.trim() === '' ? '' : (digitsOf(typed, places) ?? typed));
  };
  useEffect(() => {
    if (before.current !== places) take(text);
    before.current = places;
  }, [places]);
  const isWrong = text.trim() !== '' && digitsOf(text, places) === null;
  const example = places === 0 ? '12' : `12.${'5'.padEnd(Math.min(places, 2), '0')}`;
  return (
    <TextField
      label={`${label} (${unitName(of)})`}
      value={text}
      set={take}
      required={required}
      maxLength={100}
      problem={isWrong ? `Enter an amount such as ${example}, with at most ${places} decimal places.` : problem}
    />
  );
}
