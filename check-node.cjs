// Part of `npm ci`: with older versions of Node, npm silently skips packages that the program later fails to load. In old JavaScript, so that every
// Node can run it. It asks for the Node that runs npm, since the scripts of npm already use the one that was installed.
'use strict'
var userAgent = process.env.npm_config_user_agent || ''
var version = (/ node\/v([\d.]+)/.exec(userAgent) || [])[1] || process.versions.node
var parts = version.split('.').map(Number)
var major = parts[0]
var minor = parts[1]
if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22)) {
  console.error(
    'To install Pet Store, npm needs Node 20.19, 22.12, or newer than 22. This is Node ' + version + '.',
  )
  process.exit(1)
}
