import { detectors as allDetectors } from '#shared/detectors/index.ts';
import { invalidRequest } from '#shared/errors.ts';
import { activeDetectors, presetOf, readSettings, saveSetting } from '#shared/resources/alerts/detector_settings.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, need, orgOption, tenantOf } from './command.ts';

const nameArgument = { name: '<detector>', about: 'its name, as `detector list` shows it' };

export const detectors: AdminCommand[] = [
  {
    name: 'detector list',
    summary: 'Show every detector, and whether it judges the events of an organization',
    options: [orgOption],
    async run(given, services) {
      const tenant = await tenantOf(given, services);
      const enabled = new Set(
        (await activeDetectors(services.db, tenant, allDetectors)).map(({ detector }) => detector.name),
      );
      return { data: allDetectors.map(({ name }) => ({ name, enabled: enabled.has(name) })) };
    },
  },
  ...([true, false] as const).map((enabled): AdminCommand => ({
    name: enabled ? 'detector enable' : 'detector disable',
    summary: enabled
      ? 'Have a detector judge the events of an organization, from the next on'
      : 'Have a detector raise no more alerts for an organization',
    options: [orgOption],
    argument: nameArgument,
    async run(given, services) {
      const detector = allDetectors.find(({ name }) => name === need(given, 'argument'));
      if (!detector)
        throw invalidRequest(
          `There is no such detector; there are ${allDetectors.map(({ name }) => name).join(', ')}.`,
        );
      const tenant = await tenantOf(given, services);
      return changeAsOperator(services, tenant, [], async tx => {
        const before = (await readSettings(tx, tenant)).get(detector.name) ?? presetOf(detector);
        await saveSetting(tx, tenant, detector.name, { ...before, enabled }, services.now());
        const entries = [
          {
            action: 'detector.changed',
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
