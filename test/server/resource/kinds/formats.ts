import { type as ark } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import type { Kinds } from './kind.js'

const text = (...actions: unknown[]) => (v.pipe as (...parts: unknown[]) => unknown)(v.string(), ...actions)

/** Texts of a format. */
export const formats: Kinds = {
  email: {
    zod: () => z.email(),
    typebox: () => Type.String({ format: 'email' }),
    arktype: () => 'string.email',
    valibot: () => text(v.email()),
    valid: ['ada@example.com', 'a.b+c@example.co.uk'],
    invalid: ['ada', 'ada@', '@example.com', 'a b@example.com'],
    either: ['ada@localhost', "o'hara@example.com", 'ä@example.com', 'a@example.c'],
    query: 'value'
  },
  url: {
    zod: () => z.url(),
    typebox: () => Type.String({ format: 'uri' }),
    arktype: () => 'string.url',
    valibot: () => text(v.url()),
    valid: ['https://example.com/', 'https://example.com/a?b=c#d', 'mailto:a@example.com'],
    invalid: ['example', '//example.com', '/a'],
    either: ['https://exämple.com/', 'https://example.com/a b', 'http://localhost', 'a:b'],
    query: 'value'
  },
  'url of http': {
    zod: () => z.httpUrl(),
    valid: ['https://example.com/a'],
    invalid: ['mailto:a@example.com', 'x'],
    either: ['http://localhost:3030'],
    beyond: ['zod'],
    query: 'value'
  },
  uuid: {
    zod: () => z.uuid(),
    typebox: () => Type.String({ format: 'uuid' }),
    arktype: () => 'string.uuid',
    valibot: () => text(v.uuid()),
    valid: ['f47ac10b-58cc-4372-a567-0e02b2c3d479', '00000000-0000-0000-0000-000000000000'],
    invalid: ['f47ac10b', 'f47ac10b58cc4372a5670e02b2c3d479', 'g47ac10b-58cc-4372-a567-0e02b2c3d479'],
    either: ['F47AC10B-58CC-4372-A567-0E02B2C3D479', 'f47ac10b-58cc-9372-1567-0e02b2c3d479'],
    query: 'value'
  },
  'uuid of a version': {
    zod: () => z.uuidv7(),
    arktype: () => 'string.uuid.v7',
    valid: ['018f2b1c-5e2a-7c3d-9e4f-0123456789ab'],
    invalid: ['f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    query: 'value'
  },
  guid: {
    zod: () => z.guid(),
    valid: ['f47ac10b-58cc-9372-1567-0e02b2c3d479', 'ffffffff-ffff-ffff-ffff-fffffffffffe'],
    invalid: ['f47ac10b'],
    query: 'value'
  },
  cuid: { zod: () => z.cuid(), valid: ['cjld2cjxh0000qzrmn831i7rn'], invalid: ['1', 'x y'], query: 'value' },
  cuid2: {
    zod: () => z.cuid2(),
    valibot: () => text(v.cuid2()),
    valid: ['tz4a98xxat96iws9zmbrgj3a'],
    invalid: ['A-B', 'a b'],
    query: 'value'
  },
  ulid: {
    zod: () => z.ulid(),
    typebox: () => Type.String({ format: 'ulid', pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' }),
    valibot: () => text(v.ulid()),
    valid: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    invalid: ['01ARZ3NDEKTSV4RRFFQ69G5FA', '81ARZ3NDEKTSV4RRFFQ69G5FAV'],
    query: 'value'
  },
  nanoid: {
    zod: () => z.nanoid(),
    valibot: () => text(v.nanoid()),
    valid: ['V1StGXR8_Z5jdHi6B-myT'],
    invalid: ['a b', '!'],
    either: ['short'],
    query: 'value'
  },
  xid: { zod: () => z.xid(), valid: ['9m4e2mr0ui3e8a215n4g'], invalid: ['9m4e2mr0'], query: 'value' },
  ksuid: { zod: () => z.ksuid(), valid: ['0ujtsYcgvSTl8PAuAdqWYSMnLOv'], invalid: ['0ujts'], query: 'value' },
  e164: { zod: () => z.e164(), valid: ['+15555555555'], invalid: ['5555555555', '+0123456'], query: 'value' },
  jwt: {
    zod: () => z.jwt(),
    valibot: () => text(v.jwsCompact()),
    valid: ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2ln'],
    invalid: ['a', '!.!.!'],
    beyond: ['zod'],
    query: 'value'
  },
  emoji: {
    zod: () => z.emoji(),
    valibot: () => text(v.emoji()),
    valid: ['😀', '👨‍👩‍👧', '🇨🇭'],
    invalid: ['a', '😀a'],
    query: 'value'
  },
  base64: {
    zod: () => z.base64(),
    arktype: () => 'string.base64',
    valibot: () => text(v.base64()),
    valid: ['aGVsbG8=', 'aGVsbG8h'],
    invalid: ['a', '!!!!', 'aGVsbG8=='],
    beyond: ['valibot'],
    query: 'value'
  },
  base64url: {
    zod: () => z.base64url(),
    arktype: () => 'string.base64.url',
    valid: ['aGVsbG8h', 'a-_b'],
    invalid: ['a+/b', '!'],
    query: 'value'
  },
  hex: {
    zod: () => z.hex(),
    arktype: () => 'string.hex',
    valibot: () => text(v.hexadecimal()),
    valid: ['0aF9'],
    invalid: ['xyz', '0a '],
    query: 'value'
  },
  hash: {
    zod: () => z.hash('md5'),
    valibot: () => text(v.hash(['md5'])),
    valid: ['d41d8cd98f00b204e9800998ecf8427e'],
    invalid: ['d41d8cd98f'],
    query: 'value'
  },
  ipv4: {
    zod: () => z.ipv4(),
    typebox: () => Type.String({ format: 'ipv4' }),
    arktype: () => 'string.ip.v4',
    valibot: () => text(v.ipv4()),
    valid: ['127.0.0.1', '255.255.255.255'],
    invalid: ['256.0.0.1', '1.2.3', '::1'],
    query: 'value'
  },
  ipv6: {
    zod: () => z.ipv6(),
    typebox: () => Type.String({ format: 'ipv6' }),
    arktype: () => 'string.ip.v6',
    valibot: () => text(v.ipv6()),
    valid: ['::1', '2001:db8::8a2e:370:7334'],
    invalid: ['127.0.0.1', 'g::1', '1'],
    either: ['::ffff:1.2.3.4', 'fe80::1%eth0', '::'],
    query: 'value'
  },
  ip: {
    zod: () => z.union([z.ipv4(), z.ipv6()]),
    arktype: () => 'string.ip',
    valid: ['127.0.0.1', '::1'],
    invalid: ['x', '1.2.3'],
    query: 'value'
  },
  cidrv4: { zod: () => z.cidrv4(), valid: ['10.0.0.0/8'], invalid: ['10.0.0.0', '10.0.0.0/33'], query: 'value' },
  cidrv6: {
    zod: () => z.cidrv6(),
    valid: ['2001:db8::/32'],
    invalid: ['2001:db8::', '10.0.0.0/8'],
    beyond: ['zod'],
    query: 'value'
  },
  mac: {
    zod: () => z.mac(),
    valibot: () => text(v.mac48()),
    valid: ['00:1A:2B:3C:4D:5E'],
    invalid: ['00:1A', 'zz:1A:2B:3C:4D:5E'],
    query: 'value'
  },
  hostname: {
    zod: () => z.hostname(),
    typebox: () => Type.String({ format: 'hostname' }),
    valibot: () => text(v.domain()),
    valid: ['example.com', 'a.b.example.org'],
    invalid: ['-a.com', 'a b', 'a_b.com'],
    either: ['localhost', 'example.com.'],
    query: 'value'
  },
  date: {
    zod: () => z.iso.date(),
    typebox: () => Type.String({ format: 'date' }),
    arktype: () =>
      ark('string.date.iso')
        .and(/^[\d-]{10}$/)
        .configure({ format: 'date' } as object),
    valibot: () => text(v.isoDate()),
    valid: ['2030-01-31', '2024-02-29'],
    invalid: ['31.1.2030', '2030-13-01', 'today'],
    either: ['2030-02-30', '2023-02-29', '2030-01-01T00:00:00Z', '20300131'],
    query: 'value'
  },
  time: {
    zod: () => z.iso.time(),
    valibot: () => text(v.isoTime()),
    valid: ['12:00', '23:59'],
    invalid: ['25:00', 'noon', '12', '12:00:00+02:00'],
    either: ['12:00:00', '12:00:00.5'],
    query: 'value'
  },
  'time of a zone': {
    typebox: () => Type.String({ format: 'time' }),
    valid: ['12:00:00Z', '12:00:00+02:00', '12:00:00.5Z'],
    invalid: ['25:00:00Z', 'noon'],
    either: ['12:00:00', '23:59:60Z'],
    query: 'value'
  },
  'time of seconds': {
    zod: () => z.iso.time({ precision: 0 }),
    valibot: () => text(v.isoTimeSecond()),
    valid: ['12:00:00'],
    invalid: ['12:00', '12:00:00Z'],
    query: 'value'
  },
  'date and time': {
    zod: () => z.iso.datetime(),
    typebox: () => Type.String({ format: 'date-time' }),
    arktype: () => 'string.date.iso',
    valibot: () => text(v.isoTimestamp()),
    valid: ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.123Z'],
    invalid: ['yesterday', '2030-01-32T12:00:00Z', '2030-01-31 '],
    either: ['2030-01-31T12:00:00', '2030-01-31T12:00:00+02:00', '2030-01-31 12:00:00Z', '2030-01-31T12:00Z'],
    query: 'value'
  },
  'date and time of a place': {
    zod: () => z.iso.datetime({ offset: true }),
    typebox: () => Type.String({ format: 'date-time' }),
    valibot: () => text(v.isoTimestamp()),
    valid: ['2030-01-31T12:00:00+02:00', '2030-01-31T12:00:00Z'],
    invalid: ['2030-01-31', '12:00+02:00'],
    query: 'value'
  },
  'date and time to the millisecond': {
    zod: () => z.iso.datetime({ precision: 3, local: true }),
    valid: ['2030-01-31T12:00:00.123', '2030-01-31T12:00:00.123Z'],
    invalid: ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.1234Z'],
    query: 'value'
  },
  'date and time of a form': {
    zod: () => z.iso.datetime({ local: true }),
    valibot: () => text(v.isoDateTime()),
    valid: ['2030-01-31T12:00'],
    invalid: ['2030-01-31', 'x'],
    query: 'value'
  },
  week: { valibot: () => text(v.isoWeek()), valid: ['2030-W05'], invalid: ['2030-W60', '2030'], query: 'value' },
  duration: {
    zod: () => z.iso.duration(),
    typebox: () => Type.String({ format: 'duration' }),
    valid: ['P1D', 'PT1H30M', 'P1W'],
    invalid: ['1 day', 'P', 'PT'],
    query: 'value'
  }
}
