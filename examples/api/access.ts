import type { HookContext } from 'fastify-services'
import { allow, scope } from 'fastify-services/authentication'

// Who may do what, by the role of the user. What a role does not name is forbidden to it, unless the record declares it.
export const forOrganisations = allow({ owner: true, member: { get: true } })
export const forUsers = allow({ owner: true, member: { find: true, get: true, patch: ['email', 'name', 'password'] } })
export const forProjects = allow({ owner: true, member: { find: true, get: true, create: true, patch: true } })
export const forIssues = allow({ owner: true, member: { find: true, get: true, create: true, patch: true } })

// Which records: those of the organisation of the user. Whatever a client asks for, it gets no others.
export const ownOrganisation = scope(({ params }) => ({ id: params.user?.organisationId }))
export const inOrganisation = scope(({ params }) => ({ organisationId: params.user?.organisationId }))

/** Members see all users of their organisation, and change themselves. */
export const usersInOrganisation = scope(({ method, params: { user } }) => ({
  organisationId: user?.organisationId,
  ...(method === 'patch' && user?.role !== 'owner' && { id: user?.id })
}))

export function setAuthor({ data, params }: HookContext): void {
  if (params.provider) data.authorId = params.user.id
}
