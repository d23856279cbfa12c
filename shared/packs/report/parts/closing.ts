import type { PackHeader } from '#shared/packs/pack_files.ts';
import type { ReportSection } from '#shared/packs/report/report.ts';
import { code, grouped } from '#shared/packs/report/words.ts';

/** How to verify the pack without trusting anybody. */
export const checkSection = ({ log }: PackHeader): ReportSection => ({
  id: 'check',
  title: 'How to verify this pack',
  blocks: [
    {
      type: 'paragraph',
      text: 'This document repeats what stands in the files beside it. What can be proven is proven by those, offline, with the public key of the log and nothing else.',
    },
    {
      type: 'steps',
      steps: [
        [
          'Download the verifier ',
          code('verify.mjs'),
          ' from the publisher of the service (',
          code('GET /verify.mjs'),
          ', or a release) and not from this pack: a pack that was forged would bring its own.',
        ],
        [
          'Get the public keys from a place that you trust for another reason, such as ',
          code('GET /v1/keys.json'),
          ' of the service, downloaded by yourself, or a copy kept from before. Those in ',
          code('log/keys.json'),
          ' are for information.',
        ],
        [
          'Run ',
          code('node verify.mjs --keys keys.json pack.zip'),
          ' with Node 20 or newer. It checks the signature of the manifest, the hash of every file, the digest of every event and of its evidence, its leaf, its proof of inclusion, and the signed checkpoint. It exits with 0 when everything is valid.',
        ],
        [
          'Compare the checkpoint that it names with one that you or a witness kept of ',
          { outside: log.origin },
          `: size ${grouped(log.size)}, root `,
          code(log.root_hash),
          '.',
        ],
        [
          'Any number here can be computed again: the rule beside it says from which file, and each ',
          code('#n'),
          ' is the event with that ',
          code('chain_seq'),
          ' in ',
          code('events.jsonl'),
          '.',
        ],
      ],
    },
  ],
});

/** What must not be concluded from it. */
export const limitsSection = (): ReportSection => ({
  id: 'limits',
  title: 'What this does not prove',
  blocks: [
    {
      type: 'paragraph',
      text: 'That the reports were true, or complete: only that they were recorded, when, and in which order, by the holder of the key. What was never reported is not here.',
    },
    {
      type: 'paragraph',
      text: 'What was computed from them (verdicts of verifications and mandates, alerts, screenings, prices in dollars) is the service’s own word; verifications are bound to their inputs by hashes. Cases, comments and decisions are what people entered.',
    },
    {
      type: 'paragraph',
      text: 'That the log shows everyone the same tree: witnesses, who keep their own checkpoints, confirm that.',
    },
    {
      type: 'paragraph',
      text: 'Dollar amounts are by the exchange rate of the day of the event, as it was known when the event was recorded, or when a rate became known later.',
    },
  ],
});
