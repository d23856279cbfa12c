import { useState } from 'preact/hooks';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { JsonField } from '#api/dashboard/browser/parts/json_field.tsx';
import type { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { ConstraintField } from './constraint_field.tsx';
import { wordsOfKind } from '#shared/mandates/kinds/index.ts';
import type { KindWords, ConstraintTerms } from '#shared/mandates/kinds/words.ts';
import { constraintText } from './constraint_words.ts';
import { DenominationField } from './denomination_field.tsx';
import { isOneLine } from './list_fields.tsx';
import { denominationOf } from './money_text.ts';

/** One constraint that is written: its fields, what it comes to in words, and what the API said of it. */
export function ConstraintCard({
  index,
  terms,
  set,
  remove,
  problem,
}: {
  index: number;
  terms: ConstraintTerms;
  set: (change: ConstraintEdit) => void;
  remove: () => void;
  problem: Problem | null;
}) {
  const kind = wordsOfKind(terms.type);
  const pointer = `/constraints/${index}`;
  const [asJson, setAsJson] = useState(() => !kind || kind.fields.length === 0 || !fits(terms));
  const members = asJson || !kind ? [] : shownMembers(kind);
  const others = problem?.details.filter(
    ({ path }) => isAt(path, pointer) && !members.some(member => isAt(path, `${pointer}/${member}`)),
  );
  const name = kind?.name ?? terms.type;
  return (
    <fieldset class="constraint">
      <legend>
        {index + 1}. {name}
      </legend>
      {asJson || !kind ? (
        <JsonFields terms={terms} set={set} />
      ) : (
        <Fields kind={kind} terms={terms} set={set} problem={problem} pointer={pointer} />
      )}
      {others?.map(({ path, message }) => (
        <small key={path} class="wrong">
          {withoutPlace(message)}
        </small>
      ))}
      <p class="quiet">{saidOf(terms)}</p>
      <div class="actions">
        <button type="button" class="plain" onClick={remove} aria-label={`Remove constraint ${index + 1}, ${name}`}>
          Remove
        </button>
        {kind && kind.fields.length > 0 && fits(terms) && (
          <button type="button" class="plain" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
            {asJson ? 'Edit as fields' : 'Edit as JSON'}
          </button>
        )}
      </div>
    </fieldset>
  );
}

/** Makes of a constraint as it is written now what it is next. */
export type ConstraintEdit = (now: ConstraintTerms) => ConstraintTerms;

const isAt = (path: string, pointer: string) => path === pointer || path.startsWith(`${pointer}/`);
const hasMoney = ({ fields }: KindWords) => fields.some(({ as }) => as === 'money');
const shownMembers = (kind: KindWords) => [
  ...kind.fields.map(({ name }) => name),
  ...(hasMoney(kind) ? ['currency', 'asset'] : []),
];

/** Whether fields can show all that the terms say: a payee may have a website beside its name. */
const fits = ({ payees }: ConstraintTerms): boolean => !Array.isArray(payees) || payees.every(isOneLine);

/** What was said of a member, without where it stands: it is shown there. */
function saidAt(problem: Problem | null, pointer: string): string | undefined {
  const said = problem?.at(pointer);
  return said && withoutPlace(said);
}
const withoutPlace = (message: string): string => message.replace(/^constraints\[\d+\]\.?/, '').trimStart();

/** The words, once there is enough to say. */
function saidOf(terms: ConstraintTerms): string {
  const isEmpty = Object.values(terms).some(value => value === '' || (Array.isArray(value) && value.length === 0));
  return isEmpty ? '' : constraintText(terms);
}

function Fields({
  kind,
  terms,
  set,
  problem,
  pointer,
}: {
  kind: KindWords;
  terms: ConstraintTerms;
  set: (change: ConstraintEdit) => void;
  problem: Problem | null;
  pointer: string;
}) {
  const fields = kind.fields.filter(({ shown }) => shown?.(terms) ?? true);
  return (
    <div class="field-row">
      {fields.map(field => (
        <ConstraintField
          key={field.name}
          field={field}
          terms={terms}
          set={value => set(now => withMember(now, field.name, value))}
          problem={saidAt(problem, `${pointer}/${field.name}`)}
        />
      ))}
      {hasMoney(kind) && (
        <DenominationField
          value={denominationOf(terms)}
          set={({ currency, asset }) => set(now => withMember(withMember(now, 'currency', currency), 'asset', asset))}
          problem={saidAt(problem, `${pointer}/currency`) ?? saidAt(problem, `${pointer}/asset`)}
        />
      )}
    </div>
  );
}

function withMember(terms: ConstraintTerms, name: string, value: unknown): ConstraintTerms {
  const { [name]: _, ...rest } = terms;
  return (value === undefined ? rest : { ...terms, [name]: value }) as ConstraintTerms;
}

/** The members beside the type, as JSON. */
const JsonFields = ({
  terms: { type, ...members },
  set,
}: {
  terms: ConstraintTerms;
  set: (change: ConstraintEdit) => void;
}) => (
  <JsonField
    label={`${wordsOf(type)} as JSON`}
    value={members as Record<string, unknown>}
    set={members => set(() => ({ ...members, type }))}
    is={isObject}
    wrong="Enter a JSON object."
    lines={6}
  />
);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
