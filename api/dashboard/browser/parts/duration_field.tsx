import { useState } from 'preact/hooks';
import { Choice, TextField } from './form.tsx';

const units = [
  ['1', 'seconds'],
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
] as const;

/** A length of time in seconds, written in the largest unit it is whole in. */
export function DurationField({
  label,
  seconds,
  set,
  hint,
  problem,
}: {
  label: string;
  seconds: number;
  set: (seconds: number) => void;
  hint?: string;
  problem: string | undefined;
}) {
  const [unit, setUnit] = useState<string>(
    () => units.findLast(([size]) => seconds > 0 && seconds % Number(size) === 0)?.[0] ?? '1',
  );
  const [count, setCount] = useState(() => String(seconds / Number(unit)));
  const take = (next: string, size: string) => {
    setCount(next);
    setUnit(size);
    set(next === '' ? NaN : Math.round(Number(next) * Number(size)));
  };
  return (
    <div class="field-row">
      <TextField
        label={label}
        type="number"
        value={count}
        set={next => take(next, unit)}
        required
        {...(hint && { hint })}
        problem={problem}
      />
      <Choice label={`${label}: unit`} value={unit} set={size => take(count, size)} of={units} />
    </div>
  );
}
