/** Set-up of the project unit, whose tests open no socket: they need neither a port nor time for the network. */
import { Server, Socket } from 'node:net'

function refuse(): never {
  throw new Error('A unit test opens no socket. Move it to test/network.')
}

Server.prototype.listen = refuse
Socket.prototype.connect = refuse
