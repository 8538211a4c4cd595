/** Settings of Node and V8, to be imported before everything else. */
import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { pathInProject } from './project-root.ts'

// V8 guesses which literals live long, and allocates them as old objects. During the first requests it guesses wrong in one process
// of three: dead objects then keep their requests alive until the next full collection, and the process stays half as fast for good.
setFlagsFromString('--no-allocation-site-pretenuring')

// Keeps compiled code for the next start. Inside the installation, where nobody else may write: what is in it is executed.
enableCompileCache(pathInProject('node_modules', '.cache', 'pet-store'))
