import type { Random } from '#bin/demo/random.ts';
import type { FamilyMarket, FamilyOwner, FamilyPayee, StrangerKind } from './conduct.ts';

/** Everybody an organization may pay: how many there are, what they charge and where they are is drawn. */
export function drawMarket(random: Random, { country: home }: FamilyOwner): FamilyMarket {
  const usual = random.shuffled(countries).slice(0, random.int(1, 6));
  const at_home = random.between(0.3, 0.95);
  const country = (source: Random) =>
    source.chance(at_home) ? home : source.chance(0.85) ? source.pick(usual) : source.pick(countries);
  const stranger = (kind: StrangerKind, source: Random, where = country(source)) => kinds[kind](source, where);
  const dearness = Math.exp(random.between(-1.5, 2));
  const apis = Array.from({ length: random.int(6, 60) }, () => {
    const api = stranger('api', random);
    return { ...api, price: round(api.price * dearness) };
  });
  const many = (kind: StrangerKind, least: number, most: number): FamilyPayee[] =>
    Array.from({ length: random.int(least, most) }, () => stranger(kind, random));
  return {
    apis,
    shops: many('shop', 15, 200),
    software: many('shop', 8, 50),
    suppliers: many('supplier', 10, 120),
    places: many('shop', 40, 400),
    stranger,
    country,
  };
}

const kinds: Record<StrangerKind, (random: Random, country: string) => FamilyPayee> = {
  api(random, country) {
    const name = `api-${random.hex(8)}`;
    return {
      key: `eip155:8453:0x${random.hex(40)}`,
      type: 'merchant',
      name,
      country,
      price: round(random.logNormal(0.01, 1.6, 2.5)),
      resource: `https://${name}.example/v1/${random.hex(4)}`,
      tool: `call_${name.slice(4, 8)}`,
    };
  },
  shop: (random, country) => ({
    key: `merchant:stripe:acct_${random.hex(14)}`,
    type: 'merchant',
    name: `Shop ${random.hex(8)}`,
    country,
    price: random.logNormal(40, 1.1, 2.5),
  }),
  supplier: (random, country) => ({
    key: `merchant:bank:acct_${random.hex(14)}`,
    type: 'business',
    name: `Supplier ${random.hex(8)}`,
    country,
    price: random.logNormal(700, 1.2, 2.5),
  }),
  person: (random, country) => ({
    key: `merchant:bank:rcp_${random.hex(14)}`,
    type: 'individual',
    name: `Person ${random.hex(8)}`,
    country,
    price: random.logNormal(300, 0.8, 2.5),
  }),
};

/** To a ten-thousandth of a dollar: what APIs charge. */
const round = (usd: number) => Math.max(0.0005, Math.round(usd * 2_000) / 2_000);

export const countries =
  'US DE GB FR NL ES IT PL SE IE CH AT BE DK NO FI PT CZ CA MX BR AR CL CO AU NZ JP KR SG IN ID TH VN PH AE IL TR ZA NG KE EG RO GR HU'.split(
    ' ',
  );
