import { z } from 'zod';
import { Screening } from './screenings.ts';
import { bounds, isSearchable, NOTHING_TO_SEARCH, SubjectInput } from './screening_input.ts';
import { ErrorDetail } from '#shared/interface/schemas.ts';
import { line } from '#shared/values/text.ts';

export const MOST_PAYEES = 100;

/** One payee of a batch. */
export const ReferredPayee = SubjectInput.extend({
  ref: line(200).optional().meta({ description: 'whatever tells it from the others; the answer has it too' }),
})
  .superRefine((payee, context) => {
    if (!isSearchable(payee)) context.addIssue({ code: 'custom', message: NOTHING_TO_SEARCH });
  })
  .meta({ id: 'ReferredPayee', description: 'Whom to look for.' });

/** The body of POST /v1/screen about several payees. */
export const NewScreenings = z
  .strictObject({ payees: z.array(ReferredPayee).min(1).max(MOST_PAYEES), ...bounds })
  .meta({
    id: 'NewScreenings',
    examples: [
      { payees: [{ ref: 'invoice-1', name: 'Acme Shipping Ltd', country: 'Panama' }, { name: 'Ada Lovelace' }] },
    ],
  });

/** The same before its payees are validated one by one: an error in one does not reject the others. */
export const UncheckedScreenings = NewScreenings.extend({ payees: z.array(z.unknown()).min(1).max(MOST_PAYEES) });

const ref = z.string().optional();

/** The response: one result for each payee, in order. */
export const ScreeningResults = z
  .object({
    screenings: z.array(
      z.union([
        z.object({ ref, screening: Screening }),
        z.object({
          ref,
          error: z.object({ code: z.string(), message: z.string(), details: z.array(ErrorDetail).optional() }),
        }),
      ]),
    ),
  })
  .meta({ id: 'ScreeningResults' });
export type ScreeningResult = z.infer<typeof ScreeningResults>['screenings'][number];
