import type { CatalogEntry } from '#shared/detection/model/detector.ts';
import { catalog } from '#shared/detection/detectors/index.ts';
import { invalidRequest } from '#shared/interface/errors.ts';
import { effectiveParams, presetOf, readSettings, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, need, orgOption, tenantOf } from './command.ts';

const nameArgument = { name: '<detector>', about: 'its name, as `detector list` shows it' };

export const detectors: AdminCommand[] = [
  {
    name: 'detector list',
    summary: 'List detectors and their settings for an organization',
    options: [orgOption],
    async run(options, services) {
      const settings = await readSettings(services.db, await tenantOf(options, services));
      return {
        data: catalog.map(detector => {
          const { params, ...setting } = settings.get(detector.name) ?? presetOf(detector);
          return { name: detector.name, ...setting, params: effectiveParams(detector, params) };
        }),
      };
    },
  },
  ...([true, false] as const).map((enabled): AdminCommand => ({
    name: enabled ? 'detector enable' : 'detector disable',
    summary: enabled ? 'Enable a detector for an organization’s new events' : 'Disable a detector for an organization',
    options: [orgOption],
    argument: nameArgument,
    async run(options, services) {
      const detector = detectorOf(need(options, 'argument'));
      const tenant = await tenantOf(options, services);
      return changeAsOperator(services, tenant, ['detectors'], async tx => {
        const before = (await readSettings(tx, tenant)).get(detector.name) ?? presetOf(detector);
        await saveSetting(tx, tenant, detector.name, { ...before, enabled }, services.now());
        const entries = [
          {
            action: 'detector.changed' as const,
            target_id: detector.name,
            before: { enabled: before.enabled },
            after: { enabled },
          },
        ];
        return { result: { name: detector.name, enabled }, entries };
      });
    },
  })),
];

function detectorOf(name: string): CatalogEntry {
  const detector = catalog.find(candidate => candidate.name === name);
  if (detector) return detector;
  throw invalidRequest(`Unknown detector. Detectors: ${catalog.map(each => each.name).join(', ')}.`);
}
