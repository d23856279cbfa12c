import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { timeText } from '#api/dashboard/browser/parts/format.ts';
import { constraintText } from './constraint_words.ts';
import type { MandateDraft } from './mandate_draft.ts';

/** What a mandate will say, in a sentence, and which payments it will be applied to, before it is saved. */
export function MandateSentence({ draft, isNew }: { draft: MandateDraft; isNew: boolean }) {
  const { agent_id, constraints, valid_from, valid_until, human_presence } = draft;
  const limits = constraints.map(terms => lowerFirst(constraintText(terms)));
  return (
    <section class="note sentence" aria-label="Summary" aria-live="polite">
      <p>
        {agent_id ? <AgentName id={agent_id} /> : 'The agent'} may pay
        {limits.length === 0 ? ' without limits' : `: ${limits.join('; ')}`}
        {human_presence === 'required' && ', each payment with human approval'}
        {valid_until && `, until ${timeText(valid_until)}`}.
      </p>
      <p class="quiet">{judgedText(valid_from, isNew)}</p>
    </section>
  );
}

function judgedText(valid_from: string | null, isNew: boolean): string {
  if (!isNew) return 'Payments from now on are evaluated against the new version. Earlier evaluations stay.';
  if (valid_from === null)
    return 'Payments from now on are evaluated. Earlier payments do not count toward the limits.';
  if (Date.parse(valid_from) > Date.now()) return `Payments from ${timeText(valid_from)} on are evaluated.`;
  return `Payments since ${timeText(valid_from)} are evaluated, and count toward the limits.`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
