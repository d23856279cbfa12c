import { z } from 'zod';
import type { Caller } from '#api/caller.ts';
import { parseBody } from '#api/parse.ts';
import { route } from '#api/route.ts';
import { problemOf } from '#api/problem.ts';
import type { ApiServices } from '#api/services.ts';
import { type Detail, Problem } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { validate } from '#shared/json/issues.ts';
import { answerSighted, auditOf, type Enquiry, sight, unknownList } from '#shared/screening/flow/enquire.ts';
import { readyLists } from '#shared/screening/flow/enquiries.ts';
import type { ReadyList } from '#shared/screening/flow/loaded_lists.ts';
import { enquiryOf, screenOnDemand } from '#shared/screening/flow/screen_on_demand.ts';
import {
  MOST_PAYEES,
  NewScreenings,
  ReferredPayee,
  type ScreeningResult,
  ScreeningResults,
  UncheckedScreenings,
} from '#shared/screening/store/screening_batch.ts';
import { NewScreening } from '#shared/screening/store/screening_input.ts';
import { readThreshold } from '#shared/screening/store/screening_settings.ts';
import { Screening } from '#shared/screening/store/screenings.ts';

const ScreeningAnswer = z.object({ screening: Screening }).meta({ id: 'ScreeningAnswer' });

export const screen = [
  route({
    method: 'post',
    path: '/v1/screen',
    operation_id: 'screen',
    tag: 'Screenings',
    summary: `Screen a payee on demand, or up to ${MOST_PAYEES}`,
    description: `Screens a registered payee, or any other name or account, against the loaded lists, and keeps what was found. Of a registered payee it
counts as if its turn had come, and may raise an alert; unless the question is another than the service's own, with other names, lists or
another threshold. \`payees\` asks about several who are not registered: each counts as one request, and what is wrong with one is said in its
place.`,
    access: { scopes: ['screening:write'], session: 'act' },
    changes: ['screenings', 'payees', 'alerts'],
    limit: 'screen',
    counts: sent => Math.min(payeesOf(sent)?.length ?? 1, MOST_PAYEES),
    body: z.union([NewScreening, NewScreenings]).meta({
      examples: [...(NewScreening.meta()?.examples ?? []), ...(NewScreenings.meta()?.examples ?? [])],
    }),
    loose_body: true,
    errors: {
      '404': 'No such payee',
      '422': '`no_lists`: no list has been loaded; or the Idempotency-Key was used for another request',
    },
    responses: [[200, 'The matches', z.union([ScreeningAnswer, ScreeningResults])]],
    together({ body, caller, request }, { enquiries }) {
      const { tenant, asker } = whoAsks(caller, request.id);
      const parsed = readRequest(body, asker);
      if ('payee_id' in parsed) return null;
      if (parsed.is_batch) return enquiries.several(tenant, parsed).then(parsed.answer);
      return Promise.all(parsed.enquiries.map(each => enquiries.one(tenant, each))).then(parsed.answer);
    },
    // With an Idempotency-Key. The search runs before the transaction, which would otherwise hold a connection all that time.
    async prepare(caller, services, { body, request }) {
      const { tenant, asker } = whoAsks(caller, request.id);
      const lists = await readyLists(services.lists, caller.org_id);
      const sighted = await sightRequest(tenant, () => readRequest(body, asker), { ...services, lists });
      return { lists, sighted };
    },
    async handle({ caller, request, prepared, audit, afterCommit }, { db, queue, search, log, now }) {
      const { tenant, asker } = whoAsks(caller, request.id);
      const { lists, sighted } = prepared;
      // Thrown here, the error is stored for the key.
      if (sighted instanceof Problem) throw sighted;
      if ('payee_id' in sighted) {
        const surroundings = { ...asker, lists, search, log, now };
        const { screening, jobs, held } = await screenOnDemand(db, tenant, sighted, surroundings);
        audit(auditOf(screening));
        afterCommit(() => queue.add('webhook', jobs));
        if (held) afterCommit(() => queue.add('detect', [tenant]));
        return { screening };
      }
      const surroundings = { lists, log, now, audited: false };
      const { answers, jobs } = await answerSighted(db, tenant, sighted.found, surroundings);
      for (const answer of answers) if (!(answer instanceof Error)) audit(auditOf(answer));
      afterCommit(() => queue.add('webhook', jobs));
      return sighted.answer(answers);
    },
  }),
];

type Asker = Pick<Enquiry, 'actor_id' | 'request_id'>;

const whoAsks = ({ org_id, environment, actor_id }: Caller, request_id: string) => ({
  tenant: { org_id, environment },
  asker: { actor_id, request_id },
});

/** The payees in a body that asks about several. */
function payeesOf(sent: unknown): unknown[] | null {
  if (typeof sent !== 'object' || sent === null || !('payees' in sent)) return null;
  return Array.isArray(sent.payees) ? sent.payees : [];
}

/** A payee of a batch: its enquiry, or what is wrong with it. */
type Item = { ref: { ref?: string }; asked: Enquiry | Problem };

/** Enquiries about unregistered payees, and how to answer them. */
type ScreenRequest = {
  is_batch: boolean;
  lists: readonly string[] | undefined;
  enquiries: readonly Enquiry[];
  answer(answers: readonly (Screening | Error)[]): z.output<typeof ScreeningAnswer> | { screenings: ScreeningResult[] };
};

type AboutPayee = NewScreening & { payee_id: string };

/** Parses a body; one about a registered payee is returned as it is. Throws `invalid_request`. */
function readRequest(sent: unknown, asker: Asker): ScreenRequest | AboutPayee {
  if (payeesOf(sent)) return readBatch(sent, asker);
  const one = parseBody(NewScreening, sent) as NewScreening;
  const { payee_id } = one;
  if (payee_id !== undefined) return { ...one, payee_id };
  return {
    is_batch: false,
    lists: one.lists,
    enquiries: [enquiryOf(one, asker)],
    answer([screening]) {
      if (!screening || screening instanceof Error) throw screening ?? new Error('nothing was answered');
      return { screening };
    },
  };
}

/** Searches for the payees in a body; a registered payee is searched later, under a lock. An invalid request is returned as its error. */
async function sightRequest(
  tenant: Tenant,
  read: () => ScreenRequest | AboutPayee,
  { db, search, lists }: Pick<ApiServices, 'db' | 'search'> & { lists: readonly ReadyList[] },
) {
  try {
    const parsed = read();
    if ('payee_id' in parsed) return parsed;
    const unknown = unknownList(lists, parsed.lists);
    if (unknown) throw unknown;
    const usual_threshold = await readThreshold(db, tenant);
    return { ...parsed, found: await sight(parsed.enquiries, { lists, usual_threshold, search }) };
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return error;
    throw error;
  }
}

/**
 * The enquiries about the valid payees of a batch, and the answer to the whole batch. Throws `invalid_request` for errors in the batch
 * itself.
 */
function readBatch(sent: unknown, asker: Asker): ScreenRequest {
  const { payees, ...bounds } = parseBody(UncheckedScreenings, sent) as z.output<typeof UncheckedScreenings>;
  const items = payees.map((payee, at): Item => {
    const checked = validate(ReferredPayee, payee, { pointer: `/payees/${at}` });
    if (!checked.ok) return { ref: refOf(payee), asked: invalid(checked.issues) };
    const { ref, ...subject } = checked.value;
    return { ref: ref === undefined ? {} : { ref }, asked: enquiryOf({ payee: subject, ...bounds }, asker) };
  });
  return {
    is_batch: true,
    lists: bounds.lists,
    enquiries: items.flatMap(({ asked }) => (asked instanceof Problem ? [] : asked)),
    answer(answers) {
      const remaining = [...answers];
      const screenings = items.map(({ ref, asked }): ScreeningResult => {
        const answer = asked instanceof Problem ? asked : remaining.shift();
        if (answer && !(answer instanceof Error)) return { ...ref, screening: answer };
        return { ...ref, error: errorOf(problemOf(answer)) };
      });
      return { screenings };
    },
  };
}

/** The reference sent with a payee, if it can be read. */
function refOf(payee: unknown): { ref?: string } {
  const parsed = ReferredPayee.shape.ref.safeParse((payee as { ref?: unknown } | null)?.ref);
  return parsed.success && parsed.data !== undefined ? { ref: parsed.data } : {};
}

const MOST_DETAILS = 20;

const invalid = (issues: readonly Detail[]) =>
  new Problem('invalid_request', issues[0]?.message ?? 'This payee is not valid.', {
    details: issues.slice(0, MOST_DETAILS),
  });

const errorOf = ({ code, message, details }: Problem) => ({ code, message, ...(details && { details }) });
