import type { BodyOf } from '#api/client/call.ts';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';

type NewMandate = BodyOf<'POST /v1/mandates'>;

/** What of a mandate is written in a form. */
export type MandateDraft = Pick<NewMandate, 'agent_id' | 'owner_id' | 'name' | 'human_presence'> & {
  valid_from: string | null;
  valid_until: string | null;
  external_ref: string | null;
  constraints: ConstraintTerms[];
};
