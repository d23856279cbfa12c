import { z } from 'zod';
import { Id } from '#shared/interface/ids.ts';
import { condition, type Described } from '#shared/json/json_schema.ts';
import { CaseStatus } from './case_timeline.ts';
import { CasePriority } from './cases.ts';
import { lines, named } from '#shared/values/text.ts';

const MOST_IDS = 100;
const ids = <S extends z.ZodType>(id: S) => z.array(id).max(MOST_IDS).optional();
const fields = { title: named(200), priority: CasePriority, assignee_id: Id('usr').nullable() };

export const NewCase = z
  .strictObject({
    title: fields.title,
    priority: fields.priority.default('medium'),
    assignee_id: fields.assignee_id.default(null).meta({ description: 'a member of the organization' }),
    alert_ids: ids(Id('alr')),
    event_ids: ids(Id('evt')),
  })
  .meta({ id: 'NewCase', examples: [{ title: 'Runaway loop at the weather API', priority: 'high' }] });

export const CaseChange = z
  .strictObject(fields)
  .partial()
  .refine(
    change => Object.values(change).some(value => value !== undefined),
    'must have at least one of title, priority, assignee_id',
  )
  .meta({ id: 'CaseChange', override: { minProperties: 1 }, examples: [{ priority: 'critical' }] });

export const NewCaseStatus = z
  .strictObject({
    status: CaseStatus,
    closing_note: lines(2_000).optional(),
    from: CaseStatus.optional().meta({ description: 'change it only if this is its status, otherwise answer 409' }),
  })
  .refine(({ status, closing_note }) => closing_note === undefined || status === 'closed', {
    path: ['closing_note'],
    error: 'must be left out unless the status is closed',
  })
  .meta({
    id: 'NewCaseStatus',
    examples: [{ status: 'closed', closing_note: 'The agent was stopped.' }],
    override: onlyClosedHasNote,
  });

function onlyClosedHasNote({ jsonSchema }: Described): void {
  Object.assign(jsonSchema, condition({ status: { const: 'closed' } }, {}, { properties: { closing_note: false } }));
}

export const NewCaseComment = z
  .strictObject({ text: lines(2_000, z.string().trim()) })
  .meta({ id: 'NewCaseComment', examples: [{ text: 'Asked the owner.' }] });

export const NewCaseLinks = z
  .strictObject({
    alert_ids: ids(Id('alr')),
    event_ids: ids(Id('evt')),
    screening_ids: ids(Id('scr')),
    pack_ids: ids(Id('pck')),
  })
  .refine(
    links => Object.values(links).some(list => list !== undefined && list.length > 0),
    'must have at least one id in alert_ids, event_ids, screening_ids or pack_ids',
  )
  .meta({
    id: 'NewCaseLinks',
    override: { minProperties: 1 },
    examples: [{ event_ids: ['evt_01KAG4M0Y8N9T4A5W3R7C2XDEF'] }],
  });
