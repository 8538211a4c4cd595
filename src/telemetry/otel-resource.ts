import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  serviceNameEnvDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources'

/** OpenTelemetry's resource, with the name of this service: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, or pet-store. */
export function createResource(): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'pet-store' }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
}
