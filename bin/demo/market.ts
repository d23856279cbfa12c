import type { EventInput } from '#shared/events/input/event_input.ts';
import {
  bankNames,
  dataFeeds,
  destinations,
  meteredApis,
  people,
  shops,
  software,
  stations,
  wholesalers,
} from './names.ts';
import type { Random } from './random.ts';

export type DemoPayee = EventInput['payment']['payee'];

/** An API that is paid call by call; every endpoint has its price, in micro-USD. */
export type Api = { payee: DemoPayee; origin: string; tool: string; endpoints: { path: string; price: number }[] };
/** A shop, hotel, carrier or software house that takes cards. */
type Merchant = { payee: DemoPayee; category: string; usual: number };

/** Everybody who can be paid. Agents of one owner share its people and wholesalers, and all of them the rest. */
export type Market = {
  apis: Api[];
  feeds: Api[];
  shops: Merchant[];
  stations: Merchant[];
  hotelsAbroad: DemoPayee[];
  software: Merchant[];
  wholesalers: DemoPayee[];
  people: (count: number, country: string, random: Random) => DemoPayee[];
  /** Payees that nobody has paid yet. */
  newApi: (random: Random) => DemoPayee;
  newMerchant: (name: string, country: string, random: Random) => DemoPayee;
  newAccount: (name: string, country: string, random: Random) => DemoPayee;
  /** The same merchant with another payment service. */
  elsewhere: (merchant: DemoPayee, random: Random) => DemoPayee;
};

export function createMarket(random: Random): Market {
  const merchants = (list: readonly (readonly [string, string, string, number])[], source: Random): Merchant[] =>
    list.map(([name, country, category, usual]) => ({ payee: newMerchant(name, country, source), category, usual }));
  return {
    apis: meteredApis.map(([name, origin, tool, prices]) => ({
      payee: { ...newApi(random), name, country: 'US' },
      origin,
      tool,
      endpoints: Object.entries(prices).map(([path, price]) => ({ path, price })),
    })),
    feeds: dataFeeds.map(([name, origin, path, price]) => ({
      payee: { ...newApi(random), name, country: 'US' },
      origin,
      tool: 'buy_report',
      endpoints: [{ path, price }],
    })),
    shops: merchants(shops, random),
    stations: merchants(stations, random),
    hotelsAbroad: destinations.map(([city, country]) => newMerchant(`Hotel ${city} Central`, country, random)),
    software: merchants(software, random),
    wholesalers: wholesalers.map(([name, country]) => newAccount(name, country, random)),
    people: (count, country, source) =>
      Array.from({ length: count }, (_, index) => ({
        ...newAccount(nameOf(index, source), country, source),
        type: 'individual',
      })),
    newApi,
    newMerchant,
    newAccount,
    elsewhere: ({ key, name = '', country = '' }, source) =>
      newMerchant(
        name,
        country,
        source,
        services.filter(service => !key.startsWith(`merchant:${service}:`)),
      ),
  };
}

const newApi = (random: Random): DemoPayee => ({ key: `eip155:8453:0x${random.hex(40)}`, type: 'merchant' });

const newMerchant = (name: string, country: string, random: Random, among = services): DemoPayee => ({
  key: `merchant:${random.pick(among)}:acct_${random.hex(16)}`,
  type: 'merchant',
  name,
  country,
});

const newAccount = (name: string, country: string, random: Random): DemoPayee => ({
  key: `iban:${iban(country, random)}`,
  type: 'business',
  name,
  country,
});

const services = ['stripe', 'adyen', 'mollie'];

const nameOf = (index: number, random: Random) =>
  `${random.pick(people.first)} ${people.last[index % people.last.length]}`;

/** An account number that passes ISO 7064 (mod 97); the account itself is made up. */
function iban(country: string, random: Random): string {
  const bank = bankNames[country] ?? { prefix: '', length: 18 };
  const account = bank.prefix + random.digits(bank.length - bank.prefix.length);
  const code = bankNames[country] ? country : 'DE';
  const digits = [...`${account}${code}00`].map(character => Number.parseInt(character, 36)).join('');
  return `${code}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${account}`;
}
