/** The lines that the log has of what happens. The end of a fault has the level of its beginning, so that who reads the one reads the other. */
import type { AnsweredRequest, Observation, Observe } from '../base/observation.ts'
import { PROGRAM_NAME } from '../base/program-name.ts'

type Level = 'info' | 'warn' | 'error'
type Line = [level: Level, details: object, message: string]

/** @param log writes a line */
export function createLogReader(log: Record<Level, (details: object, message: string) => void>): Observe {
  return (observation) => {
    const line = toLine(observation)
    if (!line) return
    const [level, details, message] = line
    log[level](details, message)
  }
}

/** @returns null if the log has no line of it */
function toLine(observation: Observation): Line | null {
  switch (observation.type) {
    case 'request answered':
      return toRequestLine(observation.request)
    case 'request rejected': {
      const { id: reqId, errorCodes: codes, ...details } = observation.request
      return ['info', { reqId, ...details, codes }, 'request']
    }
    case 'connection reset': {
      const { reason, address } = observation
      return ['info', { reason, address }, 'connection reset']
    }
    case 'request failed': {
      const { requestId: reqId, part, error } = observation
      return ['error', { reqId, err: error }, part === 'resolver' ? 'a resolver failed' : 'a request failed']
    }
    case 'database waiting': {
      const { reason, variable, advice } = observation
      const { code, cause } = reason
      return ['warn', { code, variable, cause, advice }, 'waiting for the database']
    }
    case 'migration waiting':
      return ['warn', { reason: observation.reason }, 'the migration is waiting']
    case 'database lost':
      return ['warn', { cause: observation.cause }, 'database connection lost']
    case 'database back':
      return ['warn', { seconds: Math.round(observation.seconds) }, 'database connection restored']
    case 'database impaired': {
      const { problem, advice } = observation
      return ['warn', { problem, advice }, 'the database works only in part']
    }
    case 'database repaired':
      return ['warn', { problem: observation.problem }, 'the database works again as it should']
    case 'standby used': {
      const { standby, wasLeftOut } = observation
      return [wasLeftOut ? 'warn' : 'info', { standby }, 'a standby answers reads']
    }
    case 'standby left out': {
      const { standby, reason } = observation
      return ['warn', { standby, reason }, 'standby excluded from reads']
    }
    case 'keys lost': {
      const message = 'the API keys in the database cannot be read; those read earlier stay valid'
      return ['warn', { cause: observation.cause }, message]
    }
    case 'keys back': {
      const message = 'the API keys in the database can be read again'
      return ['warn', { seconds: Math.round(observation.seconds) }, message]
    }
    case 'keys missing':
      return ['warn', {}, `there are no API keys yet; create one with "${PROGRAM_NAME} keys create"`]
    case 'variable invalid':
      return ['warn', { warning: observation.warning }, 'a variable is invalid']
    case 'operation overdue': {
      const { operation, sunset } = observation
      const message = `${operation} is past its removal date: set REMOVED_OPERATIONS=${operation}`
      return ['warn', { operation, sunset: sunset.toUTCString() }, message]
    }
    case 'metrics served':
      return ['info', { url: observation.url }, 'metrics are served']
    case 'metrics unread':
      return ['warn', { reason: observation.reason }, 'metrics cannot be read']
    case 'traces unsent':
      return ['warn', { reason: observation.reason }, 'traces cannot be sent']
    case 'clients refused': {
      const { connections, files } = observation
      return ['warn', { connections, files }, 'connections are refused: raise the limit of open files']
    }
    case 'stop failed':
      return ['error', { err: observation.error }, 'a component failed to stop']
    case 'statement queued':
    case 'statement ended':
      return null
  }
}

/** It has the cause of a 5xx if that is known, and says so if the client has not got the whole response. */
function toRequestLine(request: AnsweredRequest): Line {
  const { id, method, route, params, operation, operationType, rootFields, status, errorCodes } = request
  const details = {
    reqId: id,
    method,
    route,
    params,
    operation: operation ?? undefined,
    operationType: operationType ?? undefined,
    rootFields: rootFields.length > 0 ? rootFields : undefined,
    status,
    codes: errorCodes.length > 0 ? errorCodes : undefined,
    cause: request.failureCause,
    aborted: request.isAborted || undefined,
    ms: Math.round(request.seconds * 1e3),
    key: request.key,
    address: request.address,
    traceId: request.traceId,
  }
  // An operator who logs only warnings has to see an outage.
  return [status >= 500 ? 'warn' : 'info', details, 'request']
}
