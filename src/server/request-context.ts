import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { RequestData } from '../db/request-data.ts'
import type { Context } from '../graphql/request/context.ts'
import { OpenCost } from '../http/open-cost.ts'
import { apiKeyOf } from '../http/request-checks.ts'
import { wantsLatest } from '../http/headers.ts'
import { recordOf } from '../http/request-record.ts'

/** @returns a function that creates the context of a request, for both APIs */
export function createContextFactory(database: Database) {
  const openCost = new OpenCost()
  return (request: FastifyRequest, { raw: response }: FastifyReply): Context => {
    const apiKey = apiKeyOf(request)
    const target = database.standbys?.targetFor(apiKey, wantsLatest(request)) ?? database
    return {
      requestData: new RequestData(database, target, apiKey.name, response),
      response,
      openCost,
      apiKey,
      observe: request.server.observe,
      outcome: recordOf(request),
      requestId: request.id,
    }
  }
}
