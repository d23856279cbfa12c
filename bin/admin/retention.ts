import { z } from 'zod';
import { findCase } from '#shared/casework/cases.ts';
import { conflict, invalidDetail, orNotFound } from '#shared/interface/errors.ts';
import { listHolds, placeHold, releaseHold } from '#shared/running/retention/held.ts';
import { type RetainedKind, retainedKinds } from '#shared/running/retention/kinds.ts';
import { setRetention, showRetention } from '#shared/running/retention/policies.ts';
import { previewRetention } from '#shared/running/retention/preview.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, type OptionValues, need, needId, orgOption, tenantOf } from './command.ts';

const caseOption = { flags: '--case <cas_…>', about: 'the case', required: true } as const;

export const retention: AdminCommand[] = [
  {
    name: 'retention show',
    summary: 'Show how long an organization keeps each kind of records, and how far removing older ones has got',
    options: [orgOption],
    run: async (options, services) => ({
      data: await showRetention(services.db, await tenantOf(options, services), services.config),
    }),
  },
  {
    name: 'retention set',
    summary: 'Set for how many days records of a kind are kept; older ones are removed from then on, in the background',
    options: [
      orgOption,
      { flags: '--kind <kind>', about: retainedKinds.join(', '), required: true },
      {
        flags: '--days <n>',
        about: 'for how many days, or `default` for as long as without a setting',
        required: true,
      },
      { flags: '--dry-run', about: 'only count what would be removed now' },
    ],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      const [kind, days] = [needKind(options), needDays(options)];
      if (options['dryRun']) {
        if (days === null) throw invalidDetail('/days', 'invalid_value', '--dry-run needs a number of --days.');
        return previewRetention(services.db, tenant, { kind, days }, services.config, services.now());
      }
      await changeAsOperator(services, tenant, [], async (tx, now) => {
        const { before } = await setRetention(tx, tenant, { kind, days }, services.config, now);
        const entry = { action: 'retention.set' as const, target_id: kind, before: { days: before }, after: { days } };
        return { result: null, entries: [entry] };
      });
      return (await showRetention(services.db, tenant, services.config)).find(shown => shown.kind === kind);
    },
  },
  {
    name: 'retention hold',
    summary: 'Keep what belongs to a case, also after it is closed',
    options: [orgOption, caseOption, { flags: '--reason <text>', about: 'why, such as a lawsuit', required: true }],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      const [case_id, reason] = [needId(options, 'case', 'cas'), need(options, 'reason')];
      orNotFound('case', await findCase(services.db, tenant, case_id));
      return changeAsOperator(services, tenant, [], async (tx, now) => {
        const hold = await placeHold(tx, tenant, { case_id, reason }, now);
        if (!hold) throw conflict('The case is on hold.');
        return { result: hold, entries: [{ action: 'case.held' as const, target_id: case_id, after: { reason } }] };
      });
    },
  },
  {
    name: 'retention release',
    summary: 'End the hold on a case',
    options: [orgOption, caseOption],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      const case_id = needId(options, 'case', 'cas');
      return changeAsOperator(services, tenant, [], async tx => {
        const hold = orNotFound('hold', await releaseHold(tx, tenant, case_id));
        const entry = { action: 'case.released' as const, target_id: case_id, before: { reason: hold.reason } };
        return { result: hold, entries: [entry] };
      });
    },
  },
  {
    name: 'retention holds',
    summary: 'List the cases on hold',
    options: [orgOption],
    run: async (options, services) => ({ data: await listHolds(services.db, await tenantOf(options, services)) }),
  },
];

function needKind(options: OptionValues): RetainedKind {
  const kind = z.enum(retainedKinds).safeParse(need(options, 'kind'));
  if (!kind.success) throw invalidDetail('/kind', 'invalid_value', `--kind takes ${retainedKinds.join(', ')}.`);
  return kind.data;
}

function needDays(options: OptionValues): number | null {
  const text = need(options, 'days');
  if (text === 'default') return null;
  const days = z.coerce.number().int().min(1).safeParse(text);
  if (!days.success)
    throw invalidDetail('/days', 'invalid_value', '--days takes a whole number of days, or `default`.');
  return days.data;
}
