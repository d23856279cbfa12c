import { createMandate } from '#shared/mandates/store/mandate_changes.ts';
import { NewMandate } from '#shared/mandates/store/mandate_input.ts';
import { changeAsOperator, parseInput, parseJsonInput, readInput } from './change.ts';
import { type AdminCommand, need, orgOption, tenantOf } from './command.ts';

export const mandates: AdminCommand[] = [
  {
    name: 'mandate create',
    summary: 'Create a mandate from a file with the body of POST /v1/mandates',
    options: [orgOption],
    argument: { name: '<file>', about: 'the JSON file' },
    async run(options, services) {
      const path = need(options, 'argument');
      const body = parseInput(NewMandate, parseJsonInput(path, await readInput(path)));
      const tenant = await tenantOf(options, services);
      return changeAsOperator(services, tenant, ['mandates', 'agents', 'owners'], async (tx, now) => {
        const mandate = await createMandate(tx, tenant, body, null, now);
        return { result: mandate, entries: [{ action: 'mandate.created', target_id: mandate.id, after: mandate }] };
      });
    },
  },
];
