/** Starts what the home page has besides the list of a resource. */
import { startCommands } from './commands.js'
import { showStatus } from './status.js'

startCommands()
void showStatus()
