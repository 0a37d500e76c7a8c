import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { json, type Kinds } from './kind.js'

/** Values that JSON can't hold: the start says so, and what to write. */
export const refused: Kinds = {
  'big integer': {
    zod: () => z.bigint(),
    typebox: () => Type.BigInt(),
    valibot: () => v.bigint(),
    query: 'none',
    refused: { zod: /BigInt/, typebox: /bigint/i, valibot: /bigint/ }
  },
  'a codec of TypeBox': {
    typebox: () =>
      Type.Codec(Type.String({ format: 'date-time' }))
        .Decode((text) => new Date(text))
        .Encode((date) => date.toISOString()),
    query: 'none',
    refused: { typebox: /Type\.Codec/ }
  },
  'big integer of 64 bits': { zod: () => z.int64(), query: 'none', refused: { zod: /BigInt/ } },
  'Date of JavaScript': {
    zod: () => z.date(),
    typebox: () => json({ type: 'Date' }),
    valibot: () => v.date(),
    query: 'none',
    refused: { zod: /z\.iso\.datetime\(\)/, typebox: /Date/, valibot: /isoTimestamp/ }
  },
  Map: {
    zod: () => z.map(z.string(), z.number()),
    valibot: () => v.map(v.string(), v.number()),
    query: 'none',
    refused: { zod: /Map/, valibot: /map/ }
  },
  Set: {
    zod: () => z.set(z.string()),
    valibot: () => v.set(v.string()),
    query: 'none',
    refused: { zod: /Set/, valibot: /set/ }
  },
  undefined: {
    zod: () => z.undefined(),
    typebox: () => Type.Undefined(),
    valibot: () => v.undefined(),
    query: 'none',
    refused: { zod: /[Uu]ndefined/, typebox: /undefined/, valibot: /undefined/ }
  },
  symbol: {
    zod: () => z.symbol(),
    typebox: () => Type.Symbol(),
    valibot: () => v.symbol(),
    query: 'none',
    refused: { zod: /[Ss]ymbol/, typebox: /symbol/, valibot: /symbol/ }
  },
  NaN: {
    zod: () => z.nan(),
    valibot: () => v.nan(),
    query: 'none',
    refused: { zod: /NaN/, valibot: /nan/ }
  },
  'instance of a class': {
    zod: () => z.instanceof(URL),
    valibot: () => v.instance(URL),
    query: 'none',
    refused: { zod: /[Cc]ustom/, valibot: /instance/ }
  },
  function: { typebox: () => Type.Function([], Type.String()), query: 'none', refused: { typebox: /function/ } },
  'a type that JSON Schema does not know': {
    typebox: () => json({ type: 'text' }),
    query: 'none',
    refused: { typebox: /text/ }
  },
  'a pattern that is none': {
    typebox: () => json({ type: 'string', pattern: '(' }),
    query: 'none',
    refused: { typebox: /\(/ }
  },
  'a reference that leads nowhere': {
    typebox: () => json({ $ref: '#/$defs/missing' }),
    query: 'none',
    refused: { typebox: /missing/ }
  }
}

/** Values that JSON can't hold either, of which ArkType's JSON Schema says nothing: no text is one. */
export const impossible: Kinds = {
  'Date of ArkType': {
    arktype: () => 'Date',
    invalid: ['2030-01-01T00:00:00Z', 0],
    query: 'either',
    beyond: ['arktype']
  },
  'big integer of ArkType': { arktype: () => 'bigint', invalid: ['1', 1], query: 'either', beyond: ['arktype'] }
}
