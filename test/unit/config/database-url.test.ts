import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { parseReadUrls } from '../../../src/config/database-config.ts'
import { formatHostPort } from '../../../src/base/host-port.ts'
import { parseDatabaseUrl, URL_PARAMETERS } from '../../../src/config/database-url.ts'
import { Invalid } from '../../../src/config/environment.ts'
import { pathInProject } from '../../../src/base/project-root.ts'
import { toAddress, toAddresses } from '../../support/address.ts'

const usual = {
  ...{ host: 'h', port: 5432, user: userInfo().username, password: '', database: 'd' },
  ...{ sslmode: 'disable', isPooled: false, prepares: true, options: '' },
}

describe('a URL is', () => {
  it.each<[string, Partial<typeof usual>]>([
    ['postgres://h/d', {}],
    ['POSTGRESQL://h:5432/d', {}],
    ['postgres:///d', { host: 'localhost' }],
    ['postgres://h', { database: usual.user }],
    ['postgres://ann@h/', { user: 'ann', database: 'ann' }],
    ['postgres://ann:p%40s%3As:@h:1/d', { user: 'ann', password: 'p@s:s:', port: 1 }],
    ['postgres://a%40b:a@b@h/d', { user: 'a@b', password: 'a@b' }],
    ['postgres://h/my%20store', { database: 'my store' }],
    ['postgres://h/my store', { database: 'my store' }],
    ['postgres://h/%D0%BF%D0%B5%D1%81', { database: '\u043f\u0435\u0441' }],
    ['postgres://h/a%2Fb%3Fc%23', { database: 'a/b?c#' }],
    ['postgres://[::1]/d', { host: '::1' }],
    ['postgres://[2001:db8::7]:6432/d', { host: '2001:db8::7', port: 6432 }],
    ['postgres://[fe80::1%25eth0]:1/d', { host: 'fe80::1%eth0', port: 1 }],
    ['postgres://h/d?sslmode=verify-full', { sslmode: 'verify-full' }],
    ['postgres://h/d?ssl=true', { sslmode: 'require' }],
    ['postgres://h/d?ssl=false', {}],
    ['postgres://h/d?ssl=true&sslmode=verify-ca', { sslmode: 'verify-ca' }],
    ['postgres://h/d?sslmode=require&sslrootcert=system', { sslmode: 'verify-full' }],
    ['postgres://h/d?prepare=false', { prepares: false }],
    ['postgres://h/d?pooler=transaction', { isPooled: true, prepares: false }],
    ['postgres://h/d?pooler=transaction&prepare=true', { isPooled: true }],
    ['postgres://h/d?options=-c%20search_path%3Da+b', { options: '-c search_path=a+b' }],
    // As Neon, Azure and psql write them.
    ['postgres://h/d?sslmode=require&channel_binding=require', { sslmode: 'require' }],
    ['postgres://h/d?connect_timeout=10&keepalives=1&keepalives_idle=5&gssencmode=disable', {}],
    ['postgres://h/d?target_session_attrs=any&application_name=psql&client_encoding=UTF8', {}],
    ['postgres://h/d?target_session_attrs=prefer-standby&load_balance_hosts=random', {}],
    ['postgres://h/d?statement_timeout=1', {}],
  ])('%s', (url, expected) => expect(toAddresses(url)).toEqual([{ ...usual, ...expected }]))

  it('an address for each of several hosts', () => {
    const addresses = toAddresses('postgres://ann:a,b@one:1,[::1]:2,10.0.0.3/d?sslmode=require')
    expect(addresses.map(formatHostPort)).toEqual(['one:1', '[::1]:2', '10.0.0.3:5432'])
    for (const address of addresses)
      expect(address).toMatchObject({ user: 'ann', password: 'a,b', database: 'd', sslmode: 'require' })
  })
})

describe('a URL is invalid, and the problem says why', () => {
  const [example, encoded] = ['a URL like postgres://', 'percent-encoded']
  it.each([
    ...['', 'h:5432', 'mysql://h/d', 'http://h/d', '/d', 'mysql://one,two/d'].map((url) => [url, example]),
    ...['h:0', 'h:65536', 'one:1,two:65536', 'one,', ',two', ','].map((hosts) => [
      `postgres://${hosts}/d`,
      example,
    ]),
    ...['[::1', '::1', '[h]', '[]', 'h:x', 'a b'].map((hosts) => [`postgres://${hosts}/d`, example]),
    ['postgres://%2Fvar%2Frun%2Fpostgresql/d', 'Unix sockets are not supported'],
    ...['us%zz@h/d', 'u:100%@h/d', 'u:p#w@h/d', 'h/a%b', 'h/a/b', '%zz/d'].map((ending) => [
      `postgres://${ending}`,
      encoded,
    ]),
    ['postgres://h/d?pooler=session', 'whose parameter pooler is absent, or one of transaction'],
    ['postgres://h/d?pooler=', 'whose parameter pooler'],
    ['postgres://h/d?sslmode=verify_full', 'one of disable, allow, prefer, require, verify-ca, verify-full'],
    ['postgres://h/d?sslmode=', 'whose parameter sslmode'],
    ['postgres://h/d?sslrootcert=/absent/ca.pem', 'ENOENT'],
    [`postgres://h/d?sslrootcert=${pathInProject('README.md')}`, 'no certificate'],
    ['postgres://h/d?sslrootcert=', 'whose parameter sslrootcert'],
    ['postgres://h/d?target_session_attrs=master', 'whose parameter target_session_attrs'],
    ['postgres://h/d?gssencmode=require', 'whose parameter gssencmode'],
    ...[
      'pgbouncer=true',
      'schema=a',
      'host=/tmp',
      'search_path=a',
      'constructor=1',
      'max_lag=1',
      'sslcert=x',
    ].map((parameter) => [
      `postgres://h/d?${parameter}`,
      `without the parameter ${parameter.split('=')[0]}, which is unknown`,
    ]),
  ])('%s', (url = '', reason = '') => {
    expect(() => parseDatabaseUrl(url)).toThrow(Invalid)
    expect(() => parseDatabaseUrl(url)).toThrow(reason)
  })
})

describe('DATABASE_READ_URL', () => {
  it.each<[string, [string, number][]]>([
    ['', []],
    [' postgres://h/d ', [['postgres://h/d', 10]]],
    ['postgres://h/d?max_lag=99999&sslmode=require', [['postgres://h/d?sslmode=require', 99_999]]],
    ['postgres://h/d?sslmode=require&max_lag=5', [['postgres://h/d?sslmode=require', 5]]],
    ['postgres://u:p&max_lag=5@h/d', [['postgres://u:p&max_lag=5@h/d', 10]]],
    [
      'postgres://one/d?max_lag=1 postgresql://two:1/d',
      [
        ['postgres://one/d', 1],
        ['postgres://two:1/d', 10],
      ],
    ],
  ])('may be %j', (text, standbys) => {
    const expected = standbys.map(([url, maxLagSeconds]) => ({ address: toAddress(url), maxLagSeconds }))
    expect(parseReadUrls(text)).toEqual(expected)
  })

  it.each([
    ...[
      'h:5432',
      'mysql://h/d',
      'postgres:///d',
      'postgres://u:p@/d',
      'postgres://u@?max_lag=5',
      'postgres://one,two/d',
    ],
    ...['postgres://one/d,postgres://two/d', 'postgres://one/d?max_lag=1,postgres://two/d'],
    ...['postgres://h/d?pooler=transaction', 'postgres://h/d?pooler=', 'postgres://h/d?max_lag='],
    'postgres://h/d?sslmode=yes',
    'postgres://h/d?max_lag=1 postgres://other/d postgres://ann@h:5432/d',
    ...['postgres://h/d?max_lag=0', 'postgres://h/d?max_lag=1.5', 'postgres://h/d?max_lag=10s'],
  ])('may not be %j', (text) => expect(() => parseReadUrls(text)).toThrow(Invalid))
})

it('the guide lists all parameters', () => {
  const guide = readFileSync(pathInProject('docs/postgres.md'), 'utf8')
  const [section = ''] = /^### Parameters of the URL$.*?(?=^#)/ms.exec(guide) ?? []
  // Alone, or with a value.
  const isListed = (name: string) => section.includes(`\`${name}\``) || section.includes(`\`${name}=`)
  expect(Object.keys(URL_PARAMETERS).filter((name) => !isListed(name))).toEqual([])
})
