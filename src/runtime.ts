/** Settings for Node and V8. Must be imported first. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { PROJECT_ROOT } from './base/project-root.ts'

// V8 guesses which object literals live long, and allocates them in the old generation. In some processes it guesses wrong during the
// first requests: dead objects then keep requests alive until the next full collection, and the process stays slow.
setFlagsFromString('--no-allocation-site-pretenuring')

// On a large machine, V8 lets the old generation grow to several times what is in use before it collects: a server under load would take
// far more memory, and be hardly faster.
setFlagsFromString('--heap-growing-percent=50')

// The embedded Postgres is WebAssembly. V8's optimizing compiler takes much memory for one of its functions, the first time that it is
// used much; the baseline compiler needs none of that.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)

// Keeps compiled code for the next start. It is executed, so it is stored inside the installation, where others cannot write.
// Without one, main.ts says so, which is not running yet.
if (PROJECT_ROOT !== null) enableCompileCache(join(PROJECT_ROOT, 'node_modules', '.cache', 'pet-store'))
