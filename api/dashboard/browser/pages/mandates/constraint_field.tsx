import { Choice, TextField, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { LocalTimeField } from '#api/dashboard/browser/parts/time_field.tsx';
import type { FieldKind } from './constraint_kinds.ts';
import type { Terms } from './constraint_words.ts';
import { DurationField } from '#api/dashboard/browser/parts/duration_field.tsx';
import { ListField, PayeesField } from './list_fields.tsx';
import { MoneyField } from './money_field.tsx';
import { denominationOf } from './money_text.ts';

/** One field of a constraint. `set` is handed what the member is now; undefined takes it away. */
export function ConstraintField({
  kind,
  terms,
  set,
  problem,
}: {
  kind: FieldKind;
  terms: Terms;
  set: (value: unknown) => void;
  problem: string | undefined;
}) {
  const { name, label } = kind;
  const value = terms[name];
  const text = value === undefined ? '' : String(value as string | number);
  const hint = 'hint' in kind ? kind.hint : undefined;
  const said = { label, ...(hint && { hint }), problem };
  switch (kind.as) {
    case 'money':
      return (
        <MoneyField
          {...said}
          digits={text}
          set={digits => set(digits === '' && kind.optional ? undefined : digits)}
          of={denominationOf(terms)}
          required={!kind.optional}
        />
      );
    case 'count':
      return (
        <TextField
          {...said}
          type="number"
          value={text}
          set={next => set(next === '' ? undefined : Number(next))}
          required={!kind.optional}
        />
      );
    case 'choice':
      return <Choice {...said} value={text} set={set} of={kind.of} />;
    case 'ticks':
      return <Ticks {...said} value={Array.isArray(value) ? value.map(String) : []} set={set} of={kind.of} />;
    case 'list':
    case 'lines':
      return (
        <ListField
          {...said}
          hint={kind.hint}
          value={Array.isArray(value) ? value.map(String) : []}
          set={set}
          lines={kind.as === 'lines'}
          upper={kind.upper ?? false}
        />
      );
    case 'payees':
      return <PayeesField {...said} hint={hint ?? ''} value={Array.isArray(value) ? value : []} set={set} />;
    case 'duration':
      return <DurationField {...said} seconds={Number(value)} set={set} />;
    case 'time':
      return <LocalTimeField {...said} at={text || null} set={at => set(at ?? undefined)} />;
    case 'zone':
      return (
        <TextField
          {...said}
          value={text}
          set={zone => set(zone.trim())}
          required
          maxLength={64}
          hint="UTC, or such as Europe/Berlin"
        />
      );
    default:
      return <TextField {...said} value={text} set={next => set(next.trim())} required maxLength={200} />;
  }
}

function Ticks({
  label,
  value,
  set,
  of,
  problem,
}: {
  label: string;
  value: string[];
  set: (value: string[]) => void;
  of: readonly (readonly [string, string])[];
  problem: string | undefined;
}) {
  return (
    <fieldset class="ticks">
      <legend>{label}</legend>
      {of.map(([option, name]) => (
        <Tick
          key={option}
          label={name}
          value={value.includes(option)}
          set={on => set(of.map(([each]) => each).filter(each => (each === option ? on : value.includes(each))))}
        />
      ))}
      {problem && <small class="wrong">{problem}</small>}
    </fieldset>
  );
}
