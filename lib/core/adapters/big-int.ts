/** Converts an integer to one that JSON has: text, if no number can hold it. */
export const fromBigInt = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
