import { events } from 'fastify-services-client/events'
import { connect } from '../client.js'

/** The server that this page comes from, with its services. What changes in them comes by itself. The token is in a cookie, which no script can read. */
export const server = connect(location.origin, { cookie: true }).configure(events())

export const projects = server.service('projects')
export const issues = server.service('projects/:projectId/issues')
