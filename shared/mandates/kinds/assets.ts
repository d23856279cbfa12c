import { AssetName } from '#shared/mandates/constraint_fields.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { allowed, among, allowedWords, listSchema } from './list.ts';
import type { KindWords } from './words.ts';

type Asset = { network: string; address: string };

const USDC: Asset = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };

/** The tokens that payments may be made in. */
export const allowedAssets = {
  schema: () => listSchema('payment.allowed_assets', 'assets', AssetName, [USDC]),
  rule({ assets }: { assets: readonly Asset[] }) {
    const values = assets.map(({ network, address }) => assetKey(network, address));
    const assetOf = ({ amount }: ReportedEvent) => amount.asset && amount.denomination;
    return allowed({ code: 'asset_not_allowed', read: assetOf, has: among(values), values });
  },
};

export const allowedAssetsWords: KindWords = {
  ...allowedWords({
    type: 'payment.allowed_assets',
    name: 'Allowed tokens',
    limit: 'only in these tokens',
    thing: 'token',
    field: { name: 'assets', label: 'Tokens', as: 'text' },
    textOf: ({ network, address }: Asset) =>
      `${assetByKey(assetKey(network, address))?.symbol ?? address} on ${network}`,
  }),
  fields: [],
  initial: { assets: [USDC] },
};
