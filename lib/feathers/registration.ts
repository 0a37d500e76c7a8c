import type { FastifyInstance } from 'fastify'
import { standardEvents } from '../core/description.js'
import { hasHookApplication, instanceFacts, ownInstanceFacts, serviceHostOf, type ToApplication } from '../core/host.js'
import { factsOf } from '../core/object-facts.js'
import { createApplications } from './application.js'
import type { Mixin } from './members.js'
import type { SettingsStore } from './settings.js'

/**
 * From here on, hooks of the services of an instance, and of the instances inside, get an
 * application in place of their instance.
 * @param backing keeps the settings; of a Feathers application, hooks get those members too that
 * the instance lacks
 * @throws when they get one already
 */
export function registerApplications(app: FastifyInstance, backing: SettingsStore): ToApplication {
  if (hasHookApplication(app))
    throw new Error('fastify-services/feathers is registered here already: give it all options at once')
  const mixins: Mixin[] = []
  const applications = createApplications({ backing, mixins })
  ownInstanceFacts(app).toHookApplication = applications
  const { entries, onService } = serviceHostOf(app)
  for (const { compose } of entries) compose()
  onService.push(({ app, object, service, path, options, exposed }) => {
    // A mounted service has the mixins of its own application.
    if (instanceFacts(app).toHookApplication !== applications || factsOf(object).foreign) return
    const events = options.events ?? (object as { events?: readonly string[] }).events ?? []
    const filled = { ...options, methods: exposed, events, serviceEvents: [...standardEvents, ...events] }
    for (const mixin of mixins) mixin.call(applications(app as object), service, path, filled)
  })
  return applications
}
