import { Choice, TextField, Tick } from '../../parts/form.tsx';
import { formatDuration } from '#shared/time.ts';
import { wordsOf } from '../../parts/format.ts';

type Values = Record<string, unknown>;

/** What of JSON Schema the parameters of detectors use. */
type Schema = {
  type?: string;
  description?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: { type?: string };
};

/** The parameters of a detector as fields, made from their schema. What is no value of its kind is sent as it was typed, and refused. */
export function ParameterFields({
  schema,
  values,
  defaults,
  set,
  problemAt,
}: {
  schema: Values;
  values: Values;
  defaults: Values;
  set: (name: string, value: unknown) => void;
  problemAt: (name: string) => string | undefined;
}) {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  return (
    <>
      {Object.entries(properties).map(([name, property]) => (
        <div key={name} class="parameter">
          <ParameterField
            name={name}
            schema={property}
            value={values[name]}
            set={value => set(name, value)}
            problem={problemAt(name)}
          />
          <p class="quiet">
            {isSame(values[name], defaults[name]) ? (
              'as by default'
            ) : (
              <>
                by default {shownValue(name, defaults[name])}{' '}
                <button
                  type="button"
                  class="link"
                  aria-label={`${labelOf(name)}: back to the default`}
                  onClick={() => set(name, defaults[name])}
                >
                  Back to it
                </button>
              </>
            )}
          </p>
        </div>
      ))}
    </>
  );
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function ParameterField({
  name,
  schema,
  value,
  set,
  problem,
}: {
  name: string;
  schema: Schema;
  value: unknown;
  set: (value: unknown) => void;
  problem: string | undefined;
}) {
  const label = labelOf(name);
  const meaning = schema.description ?? '';
  if (schema.type === 'boolean') return <Tick label={label} hint={meaning} value={value === true} set={set} />;
  if (schema.enum)
    return (
      <Choice
        label={label}
        hint={meaning}
        value={String(value)}
        set={set}
        of={schema.enum.map(option => [String(option), wordsOf(String(option))] as const)}
        problem={problem}
      />
    );
  if (schema.type === 'array')
    return (
      <TextField
        label={label}
        hint={`${meaning}. Commas between them; it may be empty.`}
        value={Array.isArray(value) ? value.join(', ') : String(value)}
        set={text => set(text === '' ? [] : text.split(/,\s?/))}
        problem={problem}
      />
    );
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  return (
    <TextField
      label={label}
      hint={[meaning, isNumber && rangeOf(schema), isNumber && durationOf(name, value)].filter(Boolean).join('; ')}
      {...(schema.type === 'integer' && { inputMode: 'numeric' as const })}
      value={String(value)}
      set={text => set(isNumber && isNumeric(text) ? Number(text) : text)}
      required
      problem={problem}
    />
  );
}

/** `12.` is on the way to a number, and must not become another text under the hands of whoever types it. */
const isNumeric = (text: string) => text.trim() !== '' && String(Number(text)) === text;

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  return minimum === undefined ? '' : `at least ${minimum}`;
}

const durationOf = (name: string, value: unknown): string =>
  name.endsWith('_s') && typeof value === 'number' && value >= 120 ? `now ${formatDuration(value * 1_000)}` : '';

const labelOf = (name: string): string => wordsOf(name.replace(/_s$/, '_(seconds)').replace(/_usd$/, '_(US_dollars)'));

/** A value of a parameter for reading. */
export function shownValue(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (name.endsWith('_s') && typeof value === 'number') return formatDuration(value * 1_000);
  return String(value);
}
