/** Errors as drivers throw them, in compact tables: what differs is a row. */
export type Own = Readonly<Record<string, unknown>>

export const thrown = (message: string, extra: Own = {}): Error => Object.assign(new Error(message), extra)
export const postgres = (code: unknown, extra: Own = {}) =>
  thrown('select 1 - no', { severity: 'ERROR', code, ...extra })
export const mysql = (errno: unknown, sqlState: unknown, sqlMessage: unknown, message = 'select 1 - no') =>
  thrown(message, { errno, sqlState, ...(sqlMessage !== undefined && { sqlMessage }) })

const states = `00000 01000 02000 03000 08000 08006 09000 0A000 0B000 0F000 20000 21000 22000 22001 22P02 23000 23001 23502
  23503 23505 23514 23P01 24000 25000 25P02 25P03 25P04 25P05 26000 27000 28000 28P01 2B000 2F000 34000 38000 3D000 3F000 40001
  40003 40P01 42501 428C9 42601 42703 42704 42883 42884 42P01 44000 53300 54000 54001 55000 55P03 57014 57P01 58000 58030 72000 F0000 F0001
  HV000 P0001 XX000 XX002`
export const codes: readonly unknown[] = [
  ...states.split(/\s+/),
  ...['2350', '235055', 'x23505', '23505x', '23p01', '2350-', '', 23505, undefined]
]

const key = 'Key (a)=(1) already exists.'
const still = 'Key (a)=(1) is still referenced from table "b".'
const others = 'Key (a)=(1) is not present in table "b".'
export const details: Readonly<Record<string, readonly [code: string, own: Own]>> = {
  ...Object.fromEntries(
    ['23505', '23503', '23P01', '23514', '23502'].map((code) => [`${code} key`, [code, { detail: key }]])
  ),
  'a class before the code': ['42350', { detail: key }],
  'no detail': ['23505', {}],
  'a detail that is no text': ['23505', { detail: 7 }],
  'several columns': ['23505', { detail: 'Key (a, "B c",d)=(1, 2, 3) already exists.' }],
  'a word': ['23505', { detail: 'Key (street)=(1) already exists.' }],
  'an expression': ['23505', { detail: 'Key (lower(a))=(1) already exists.' }],
  'a column without a name': ['23505', { detail: 'Key ()=(1) already exists.' }],
  'parentheses before it': ['23505', { detail: 'A (b) Key (a)=(1) already exists.' }],
  'no value': ['23505', { detail: 'Key (a) already exists.' }],
  'a line before it': ['23505', { detail: 'Key\n(a)=(1)' }],
  'up to 300': ['23505', { detail: `${'x'.repeat(293)} (a)=(1)` }],
  'over 300': ['23505', { detail: `${'x'.repeat(296)} (a)=(1)` }],
  'just at 300': ['23505', { detail: `${'x'.repeat(294)} (a)=(1)` }],
  'just over 300': ['23505', { detail: `${'x'.repeat(295)} (a)=(1)` }],
  column: ['23502', { column: 'a' }],
  'a column of many': ['23502', { column: 'first, "second"' }],
  'a column by its other name': ['23502', { column_name: 'a' }],
  'both names': ['23502', { column: 'a', column_name: 'b' }],
  'a column that is no text': ['23502', { column: 7 }],
  'a column and a key': ['23505', { column: 'b', detail: key }],
  'a column of a value': ['22001', { column: 'a' }],
  'a column of a reference': ['23503', { column: 'a' }],
  'a column of what is away': ['57014', { column: 'a' }],
  'a column of other things': ['42601', { column: 'a' }],
  'a column of a rule': ['23514', { column: 'a' }],
  constraint: ['23505', { constraint: 'mine' }],
  'a constraint by its other name': ['23505', { constraint_name: 'mine' }],
  'both constraints': ['23505', { constraint: 'other', constraint_name: 'mine' }],
  'a constraint that is no text': ['23505', { constraint: 7 }],
  'a constraint that is a list': ['23505', { constraint: ['mine'] }],
  'a key that has words': ['23505', { detail: 'Key (named)=(1)' }],
  'the second key has words': ['23505', { detail: 'Key (a, named)=(1, 2)' }],
  'two keys have words': ['23505', { detail: 'Key (named, email)=(1, 2)' }],
  'both have words': ['23505', { detail: 'Key (named)=(1)', constraint: 'mine' }],
  'a required column has words': ['23502', { column: 'named' }],
  'a rule has words': ['23514', { constraint: 'mine' }],
  'a generated column': ['428C9', { detail: 'Column "a b" is a generated column.' }],
  'an identity': ['428C9', { detail: 'Column "a" is an identity column defined as GENERATED ALWAYS.' }],
  'a generated column without a name': ['428C9', { detail: 'Column "" is a generated column.' }],
  'a generated column, with more before it': ['428C9', { detail: 'A Column "a" is a generated column.' }],
  'a generated column, by another code': ['42601', { detail: 'Column "a" is a generated column.' }],
  'a state alone has words': ['42601', { constraint: 'mine' }],
  'words for what is away': ['57014', { constraint: 'mine' }],
  'words for a column of every object': ['23505', { detail: 'Key (constructor)=(1)' }],
  'still referenced': ['23503', { detail: still }],
  'is referenced': ['23503', { detail: still.replace('still ', '') }],
  'referenced from no name': ['23503', { detail: still.replace('"b"', '""') }],
  'referenced, with more behind it': ['23503', { detail: `${still} x` }],
  'referenced, by another code': ['23505', { detail: still }],
  'referenced, of a code with more classes': ['23001', { detail: still }],
  'referenced, with a quote': ['23503', { detail: still.replace('"b"', '"b"c"') }],
  'referenced, at the end of 300': ['23503', { detail: 'x'.repeat(400) + still }],
  'a name that is too long to be at the end': ['23503', { detail: still.replace('"b"', `"${'b'.repeat(300)}"`) }],
  'not present': ['23503', { detail: others }],
  'no severity': ['23505', { severity: undefined, detail: key }],
  'a severity that is no text': ['23505', { severity: 3, detail: key }],
  'an empty severity': ['23505', { severity: '', detail: key }]
}

const numbers = [
  1020, 1040, 1045, 1048, 1053, 1054, 1062, 1169, 1203, 1205, 1213, 1216, 1217, 1226, 1264, 1265, 1292, 1317, 1364,
  1366, 1406, 1451, 1452, 1586, 1906, 1969, 2006, 2013, 3024, 3105, 3572, 3819, 4025
]
export const near: readonly number[] = [...new Set(numbers.flatMap((number) => [number - 1, number, number + 1]))]

const row = (rest: string) => `Incorrect value: 'x' ${rest}`
const foreign = 'Cannot add: a constraint fails (`t`.`notes`, CONSTRAINT `c`'
export const texts: readonly (readonly [number: number, text: string])[] = [
  [1048, "Column 'a' cannot be null"],
  [1048, "Column 'title' cannot be null"],
  [1364, "Field 'title' doesn't have a default value"],
  [1048, "The Column 'title' cannot be null"],
  [1048, "Column '' cannot be null"],
  [1048, "Column 'title'"],
  [1048, "Row 'title' cannot be null"],
  [1048, `Column '${'a'.repeat(290)}' no`],
  [1048, `Column '${'a'.repeat(291)}' no`],
  [1048, `Column '${'a'.repeat(299)}' no`],
  [1366, row("for column 'title' at row 1")],
  [1366, row('for column `title` at row 12')],
  [1366, row('for column `my`.`table`.`title` at row 1')],
  [1366, row('for column ``.`title` at row 1')],
  [1366, row("for column 'title' at row 1 ")],
  [1366, row("for column 'title' at row x")],
  [1366, row("for column '' at row 1")],
  [1366, row("for columns 'title' at row 1")],
  [1366, row(`for column '${'a'.repeat(273)}' at row 1`)],
  [1366, row(`for column '${'a'.repeat(279)}' at row 1`)],
  [1366, row(`for column '${'a'.repeat(280)}' at row 1`)],
  [1366, row(`for column '${'a'.repeat(281)}' at row 1`)],
  [1452, `${foreign} FOREIGN KEY (\`author\`) REFERENCES \`users\` (\`id\`))`],
  [1452, `${foreign} FOREIGN KEY (\`a\`) REFERENCES \`users\` (\`id\`))`],
  [1452, `${foreign} FOREIGN KEY (\`\`) REFERENCES \`users\` (\`id\`))`],
  [1452, `${foreign} FOREIGN KEY (\`author\`) REFERENCES \`u\` 'x'`],
  [1452, `${foreign} FOREIGN KEY (\`author\`) REFERENCES `],
  [1452, `${foreign} FOREIGN KEY (\`author\`, \`b\`) REFERENCES \`users\``],
  [1451, `${foreign} FOREIGN KEY (\`author\`) REFERENCES \`users\` (\`id\`))`],
  [1062, "Duplicate entry 'x' for key 'mine'"],
  [1062, "Duplicate entry 'x' for key 'users.mine'"],
  [1062, "Duplicate entry 'x' for key '.mine'"],
  [1062, "Duplicate entry 'x' for key 'db.users.mine'"],
  [1062, "Duplicate entry 'x' for key 'it's.mine'"],
  [1062, "Duplicate entry 'x' for key 'mine' x"],
  [1062, "Duplicate entry 'x' for keys 'mine'"],
  [1062, "Duplicate entry 'x' for key 'users.'"],
  [1062, "Duplicate entry 'x' for key 'n'"],
  [4025, 'CONSTRAINT `mine` failed for `t`.`users`'],
  [4025, 'CONSTRAINT `n` failed for `t`.`users`'],
  [4025, 'The CONSTRAINT `mine` failed for `t`.`users`'],
  [4025, 'CONSTRAINT `` failed for `t`.`users`'],
  [4025, 'CONSTRAINT `mine` fails'],
  [4025, "CONSTRAINT `n` failed for key 'mine'"],
  [4025, `CONSTRAINT \`mine\` failed${' x'.repeat(200)}`],
  [1366, "Column 'first' is wrong for column 'title' at row 1"],
  [3105, "The value specified for generated column 'title' in table 't' is not allowed."],
  [1906, "The value specified for generated column 'title' in table 't' has been ignored"],
  [3105, "It: The value specified for generated column 'title' in table 't' is not allowed."],
  [3105, "The value specified for generated column '' in table 't' is not allowed."],
  [9999, "Column 'title' is odd"]
]

/** States that are longer than those of the standard, with one of those at their end. */
export const longStates =
  'x23505 x23503 x23001 x23502 x42703 x23514 x22000 x54000 x42883 x08000 x55000 x25P03 #23503 ##23503'.split(' ')
