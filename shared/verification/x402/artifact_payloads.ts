import { z } from 'zod';
import { normalizeNetwork } from '#shared/values/networks.ts';
import { structHash, textWord, typedDataHash, typeHash, uintWord } from '#shared/verification/evm/eip712.ts';

/**
 * Offer and receipt of the x402 extension "offer and receipt", payload version 1. Texts are kept as they were signed; times in
 * seconds since 1970. What is absent is `0` or an empty text, as in EIP-712 structs.
 */
export const OfferPayload = z.object({
  version: z.literal(1),
  resourceUrl: z.string().min(1).max(8_192),
  scheme: z.string().min(1).max(64),
  network: z.string().refine(text => normalizeNetwork(text) === text, 'must be a CAIP-2 chain id'),
  asset: z.string().min(1).max(128),
  payTo: z.string().min(1).max(128),
  amount: z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be an unsigned integer in decimal digits'),
  validUntil: z.int().nonnegative().default(0),
});
export type OfferPayload = z.output<typeof OfferPayload>;

export const ReceiptPayload = z.object({
  version: z.literal(1),
  network: OfferPayload.shape.network,
  resourceUrl: OfferPayload.shape.resourceUrl,
  payer: z.string().min(1).max(256),
  issuedAt: z.int().positive(),
  transaction: z.string().max(200).default(''),
});
export type ReceiptPayload = z.output<typeof ReceiptPayload>;

/** Hash that the seller signs (EIP-712); the chain id of the domain is 1 whatever the network. */
export const offerHash = (offer: OfferPayload): Uint8Array =>
  typedDataHash(
    { name: 'x402 offer', version: '1', chain_id: 1n },
    structHash(
      offerType,
      uintWord(BigInt(offer.version)),
      textWord(offer.resourceUrl),
      textWord(offer.scheme),
      textWord(offer.network),
      textWord(offer.asset),
      textWord(offer.payTo),
      textWord(offer.amount),
      uintWord(BigInt(offer.validUntil)),
    ),
  );

export const receiptHash = (receipt: ReceiptPayload): Uint8Array =>
  typedDataHash(
    { name: 'x402 receipt', version: '1', chain_id: 1n },
    structHash(
      receiptType,
      uintWord(BigInt(receipt.version)),
      textWord(receipt.network),
      textWord(receipt.resourceUrl),
      textWord(receipt.payer),
      uintWord(BigInt(receipt.issuedAt)),
      textWord(receipt.transaction),
    ),
  );

const offerType = typeHash(
  'Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,string amount,uint256 validUntil)',
);
const receiptType = typeHash(
  'Receipt(uint256 version,string network,string resourceUrl,string payer,uint256 issuedAt,string transaction)',
);
