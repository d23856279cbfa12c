/** Whom a screening asked for, where that does not matter. */
export const nobody = {
  key: null,
  name: 'Nobody',
  type: null,
  country: null,
  aliases: [],
  date_of_birth: null,
  wallets: [],
  identifiers: [],
};
