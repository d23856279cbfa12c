import { TextField } from './form.tsx';

/** A moment, in the reader's zone. `at` is RFC 3339; null: none. */
export const LocalTimeField = ({
  label,
  hint,
  at,
  set,
  required = false,
  problem,
}: {
  label: string;
  hint?: string;
  at: string | null;
  set: (at: string | null) => void;
  required?: boolean;
  problem?: string | undefined;
}) => (
  <TextField
    label={label}
    {...(hint && { hint })}
    type="datetime-local"
    value={at ? localOf(at) : ''}
    set={local => set(utcOf(local) || null)}
    required={required}
    problem={problem}
  />
);

/** RFC 3339 as the value of a datetime-local input, in the reader's zone; empty where it is none. */
export function localOf(at: string): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return '';
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The value of a datetime-local input as RFC 3339; empty where there is none. */
export function utcOf(local: string): string {
  const time = Date.parse(local);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
