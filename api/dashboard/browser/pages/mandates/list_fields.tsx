import { useState } from 'preact/hooks';
import { TextField } from '#api/dashboard/browser/parts/form.tsx';

type Props<T> = { label: string; hint: string; value: T[]; set: (value: T[]) => void; problem: string | undefined };

/** Several texts in one field: with commas or spaces between, or (`lines`) one on each line. */
export function ListField({ value, set, lines, upper, ...rest }: Props<string> & { lines: boolean; upper: boolean }) {
  const [text, setText] = useState(() => value.join(lines ? '\n' : ', '));
  const take = (typed: string) => {
    setText(typed);
    const items = typed.split(lines ? '\n' : /[\s,]+/).map(item => item.trim());
    set(items.filter(Boolean).map(item => (upper ? item.toUpperCase() : item)));
  };
  return <TextField {...rest} value={text} set={take} required {...(lines && { lines: 4 })} />;
}

type Payee = Record<string, unknown>;

/** Payees, one on each line. */
export function PayeesField({ value, set, ...rest }: Props<Payee>) {
  const [text, setText] = useState(() => value.map(lineOf).join('\n'));
  const take = (typed: string) => {
    setText(typed);
    const lines = typed.split('\n').map(line => line.trim());
    set(lines.filter(Boolean).map(payeeOf));
  };
  return <TextField {...rest} value={text} set={take} required lines={5} />;
}

/** Whether a payee is one that a line can say. */
export const isOneLine = (payee: unknown): boolean => {
  if (typeof payee !== 'object' || payee === null) return false;
  const line = lineOf(payee as Payee);
  return JSON.stringify(payeeOf(line)) === JSON.stringify(payee);
};

const lineOf = ({ key, domain, name }: Payee): string => String(key ?? domain ?? name ?? '');

function payeeOf(line: string): Payee {
  if (/^[a-z0-9]+:\S+$/i.test(line)) return { key: line };
  return /^[^\s.]+(\.[^\s.]+)+$/.test(line) ? { domain: line } : { name: line };
}
