import { z } from 'zod';
import { Id } from '#shared/interface/ids.ts';
import { type Described, replaceObject } from '#shared/json/json_schema.ts';
import { packKinds } from '#shared/packs/pack_files.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { EvidenceInput } from '#shared/events/input/evidence_input.ts';
import { Timestamp } from '#shared/interface/schemas.ts';
import { line, named } from '#shared/values/text.ts';

const MOST_IDS = 1_000;

const members = {
  case_id: Id('cas').optional().meta({ description: 'the events of a case and of its alerts' }),
  alert_ids: z.array(Id('alr')).min(1).max(MOST_IDS).optional().meta({ description: 'the events of these alerts' }),
  event_ids: z.array(Id('evt')).min(1).max(MOST_IDS).optional(),
  payment_id: line(200).optional().meta({ description: 'every event of this payment' }),
  agent_id: Id('agt').optional(),
};

/** The ways to specify the events of a pack; each is complete by itself. */
const ways = [['case_id'], ['alert_ids'], ['event_ids'], ['payment_id'], ['agent_id', 'from', 'to']] as const;
const expected = 'must name one thing: case_id, alert_ids, event_ids, payment_id, or agent_id with from and to';

export const PackScope = z.object({ ...members, from: Timestamp.optional(), to: Timestamp.optional() }).meta({
  id: 'PackScope',
});
export type PackScope = z.infer<typeof PackScope>;

const NewPackScope = z
  .strictObject({
    ...members,
    from: TimeInput.optional().meta({ description: 'events that occurred at this time or later' }),
    to: TimeInput.optional().meta({ description: 'and before this time' }),
  })
  .refine(scope => {
    const names = Object.entries(scope).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    return ways.some(way => way.length === names.length && way.every(name => names.includes(name)));
  }, expected)
  .meta({ override: describeScope });

function describeScope({ jsonSchema }: Described): void {
  const properties = jsonSchema['properties'] as Record<string, unknown>;
  replaceObject(
    jsonSchema,
    ways.map(way => ({
      title: `By ${way.join(', ')}`,
      type: 'object',
      properties: Object.fromEntries(way.map(name => [name, properties[name]])),
      required: [...way],
      additionalProperties: false,
    })),
  );
}

export const NewPack = z
  .strictObject({
    kind: z.enum(packKinds),
    title: named(200).nullable().default(null),
    scope: NewPackScope,
    redact: z
      .array(EvidenceInput.shape.kind)
      .max(50)
      .default([])
      .meta({ description: 'kinds of evidence whose values are left out; their hashes stay' }),
  })
  .meta({
    id: 'NewPack',
    examples: [
      {
        kind: 'evidence_pack',
        title: 'Hotel bookings in October',
        scope: {
          agent_id: 'agt_01KAG4M0Y8N9T4A5W3R7C2XDEF',
          from: '2026-10-01T00:00:00.000Z',
          to: '2026-11-01T00:00:00.000Z',
        },
      },
    ],
  });
export type NewPack = z.output<typeof NewPack>;

export const NewPackShare = z
  .strictObject({ expires_in_days: z.int().min(1).max(90) })
  .meta({ id: 'NewPackShare', examples: [{ expires_in_days: 14 }] });
