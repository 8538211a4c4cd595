/** What metrics and traces both say. */
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  serviceNameEnvDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources'
import { ServiceError } from '../base/service-error.ts'
import { DatabaseError } from '../db/postgres/postgres-errors.ts'

/** The name of this service: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, or pet-store. */
export function createResource(): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'pet-store' }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
}

/** A code from the catalogue, or an SQLSTATE, so that there are few of them. */
export function errorTypeOf(error: unknown): string {
  return error instanceof ServiceError || error instanceof DatabaseError ? error.code : 'INTERNAL'
}
