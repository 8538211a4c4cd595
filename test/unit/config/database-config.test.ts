import { expect, it } from 'vitest'
import { splitHosts } from '../../../src/config/database-config.ts'

it.each([
  ['postgres://h/d', ['postgres://h/d']],
  ['postgres:///d', ['postgres:///d']],
  ['postgres://user:a,b@h:1/d?x=1,2', ['postgres://user:a,b@h:1/d?x=1,2']],
  ['postgres://one,two', ['postgres://one', 'postgres://two']],
  ['postgres://one:1,two:2?x=y', ['postgres://one:1?x=y', 'postgres://two:2?x=y']],
  [
    'postgres://user:a,b@one:1,[::1]:2/d?x=1,2',
    ['postgres://user:a,b@one:1/d?x=1,2', 'postgres://user:a,b@[::1]:2/d?x=1,2'],
  ],
  ['h', ['h']],
])('a URL is split into one for each host: %s', (url, hosts) => expect(splitHosts(url)).toEqual(hosts))
