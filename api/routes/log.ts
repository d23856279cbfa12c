import { z } from 'zod';
import { route } from '#api/route.ts';
import { Id } from '#shared/interface/ids.ts';
import { Checkpoint, listCheckpoints } from '#shared/ledger/checkpoints.ts';
import {
  ConsistencyProof,
  InclusionProof,
  Log,
  proveConsistency,
  proveEvent,
  readLog,
} from '#shared/ledger/log_answers.ts';
import { LogKey, publicKeys } from '#shared/ledger/signing_keys.ts';
import { noteVerification } from '#shared/ledger/verify/noted.ts';
import { LogVerification, verifyAsked, VerifyInput } from '#shared/ledger/verify/verify_asked.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';

/** A number of leaves. No log has more than fifteen digits of them, which JavaScript holds exactly. */
const TreeSize = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,14})$/, 'must be a whole number such as 1000')
  .transform(Number)
  .meta({ override: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 } });

export const log = [
  route({
    method: 'get',
    path: '/v1/log',
    operation_id: 'getLog',
    tag: 'Log',
    summary: 'Read the size of the log and its latest checkpoint',
    description: `Every event is a leaf of one Merkle tree (RFC 6962). A checkpoint is the root over all of them so far, signed; one is signed
every ten seconds while events arrive. Keep the checkpoints you have seen: with them you can tell that nothing before was changed since.`,
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['log', 'analysis', 'log_checkpoints'] },
    responses: [[200, 'The log', Log]],
    handle: ({ caller }, { db, config }) => readLog(db, caller, config.log_host),
  }),

  route({
    method: 'get',
    path: '/v1/log/checkpoints',
    operation_id: 'listCheckpoints',
    tag: 'Log',
    summary: 'List checkpoints, newest first',
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['log_checkpoints'] },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of checkpoints', PageOf(Checkpoint).meta({ id: 'CheckpointPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listCheckpoints(db, caller, pageRequest(config.secret_key, 'checkpoints', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/log/proof',
    operation_id: 'proveEvent',
    tag: 'Log',
    summary: 'Prove that an event is in the log',
    description:
      'From the leaf, `hashes` lead to the root that the checkpoint was signed for (RFC 6962 §2.1.1, RFC 9162 §2.1.3.2).',
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['log', 'log_checkpoints'] },
    query: z.strictObject({
      event_id: Id('evt'),
      size: TreeSize.optional().meta({
        description: 'the checkpoint to prove it under, by its size; the newest when left out',
      }),
    }),
    errors: {
      '404': 'There is no such event',
      '409': 'No checkpoint covers the event yet; Retry-After says when to ask again',
    },
    responses: [[200, 'The proof', InclusionProof]],
    handle: ({ query, caller }, services) => proveEvent(services, caller, query.event_id, query.size),
  }),

  route({
    method: 'get',
    path: '/v1/log/consistency',
    operation_id: 'proveConsistency',
    tag: 'Log',
    summary: 'Prove that a smaller log is the beginning of a larger one',
    description: 'Both are any sizes up to that of the newest checkpoint (RFC 6962 §2.1.2, RFC 9162 §2.1.4.2).',
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['log_checkpoints'] },
    query: z.strictObject({
      from: TreeSize.meta({ description: 'the smaller number of events' }),
      to: TreeSize.meta({ description: 'the larger number of events' }),
    }),
    responses: [[200, 'The proof', ConsistencyProof]],
    handle: ({ query, caller }, services) => proveConsistency(services, caller, query.from, query.to),
  }),

  route({
    method: 'post',
    path: '/v1/log/verify',
    operation_id: 'verifyLog',
    tag: 'Log',
    summary: 'Verify the log',
    description: `Everything is computed anew: each event from its input, its evidence, its leaf, the tree, the roots that were signed, and the
signatures. Of a part, each event, and its path to the newest checkpoint. At most 100,000 events at once; the operator can verify any log.`,
    access: { scopes: ['events:read'], session: 'read' },
    // It reads as much as a pack does.
    limit: 'pack',
    body: VerifyInput,
    errors: { '422': 'That is more than 100,000 events, or the log does not reach so far' },
    responses: [[200, 'The result', LogVerification]],
    handle: async ({ body, caller }, services) => {
      const { from_seq, to_seq, ...found } = await verifyAsked(services, caller, body);
      const { first_bad_seq, reason } = found;
      const noted = { by: caller.actor_id, from_seq, to_seq, first_bad_seq, reason };
      await noteVerification(services.db, caller, noted, services.now());
      return found;
    },
  }),

  route({
    method: 'get',
    path: '/v1/keys.json',
    operation_id: 'listLogKeys',
    tag: 'Log',
    summary: 'Read the public keys that sign checkpoints and packs',
    description:
      'A JWK set (RFC 7517), the current key first; those before it are kept for what they signed. Compare it with one you had from elsewhere.',
    access: 'public',
    version: { of: 'answer' },
    responses: [[200, 'The keys', z.object({ keys: z.array(LogKey) }).meta({ id: 'LogKeys' })]],
    handle: async (_input, services) => publicKeys(services),
  }),
];
