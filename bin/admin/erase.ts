import { countErasure } from '#shared/erasure/count_erasure.ts';
import { needFree } from '#shared/erasure/holds.ts';
import { runErasure } from '#shared/erasure/run_erasure.ts';
import { createErasure, findErasure, NewErasure, subjectOf } from '#shared/erasure/erasures.ts';
import { needSubject } from '#shared/erasure/subject_events.ts';
import { invalidDetail } from '#shared/interface/errors.ts';
import { changeAsOperator, parseInput } from './change.ts';
import { type AdminCommand, orgOption, tenantOf } from './command.ts';

const subjects = ['payment', 'agent', 'owner', 'payee', 'evidence'] as const;

export const erase: AdminCommand[] = [
  {
    name: 'erase',
    summary:
      'Erase the data of a person: values and names go, hashes stay, and the log says that it was an erasure. It cannot be undone',
    options: [
      orgOption,
      { flags: '--payment-id <id>', about: 'all events of a payment, and whom no other payment names' },
      { flags: '--agent-id <agt_…>', about: 'all events of an agent, and its names' },
      {
        flags: '--owner-id <own_…>',
        about: 'all events of an owner, its names, and those of its agents that pay for nobody else',
      },
      { flags: '--payee-id <pye_…>', about: 'all events of a payee, its names and its key' },
      { flags: '--evidence-id <evd_…>', about: 'one value of evidence' },
      {
        flags: '--ground <text>',
        about: 'on what ground; it is kept, so it should not name the person',
        required: true,
      },
      { flags: '--dry-run', about: 'count what would be erased, and change nothing' },
    ],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      const subject_ids = subjects.flatMap(kind => {
        const id = options[`${kind}Id`];
        return id === undefined ? [] : [[`${kind}_id`, id]];
      });
      const flags = subjects.map(kind => `--${kind}-id`).join(', ');
      if (subject_ids.length !== 1)
        throw invalidDetail('', 'required', `Name exactly one of ${flags}: what is to be erased.`);
      const { ground, ...input } = parseInput(NewErasure, {
        ...Object.fromEntries(subject_ids),
        ground: options['ground'],
      });
      const subject = subjectOf(input);
      await needSubject(services.db, tenant, subject);
      await needFree(services.db, tenant, subject);
      if (options['dryRun'] !== undefined) return { id: null, ...(await countErasure(services.db, tenant, subject)) };
      const { id } = await changeAsOperator(services, tenant, ['erasures'], async (tx, now) => {
        const erasure = await createErasure(tx, tenant, subject, { ground, requested_by: null, now });
        return {
          result: erasure,
          entries: [{ action: 'erasure.requested', target_id: erasure.id, after: { subject, ground } }],
        };
      });
      // If this process is killed, a worker continues.
      await runErasure(services, tenant, id);
      const { events, evidence_values, names, packs, saved_views } = await findErasure(services.db, tenant, id);
      return { id, events, evidence_values, names, packs, saved_views };
    },
  },
];
