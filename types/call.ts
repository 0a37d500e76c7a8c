import type { Like } from './custom-route.js'
import type { DataOf, HasIdAndData, IdOf, Member, Or, ParamsOf, ResultOf } from './method.js'
import type { Id, Params, Service } from './service.js'

/** What `context.data` holds for a service of type `S`, whatever the method. `any` where the service is not known. */
type ServiceData<S> = unknown extends S
  ? // biome-ignore lint/suspicious/noExplicitAny: it is whatever a client has sent
    any
  : Or<
      { [M in ('create' | HasIdAndData) & keyof S]: DataOf<NonNullable<S[M]>, M> }[('create' | HasIdAndData) & keyof S],
      unknown
    >

/** What `context.result` holds for a service of type `S`, whatever the method; `unknown` if it can't be told. */
type ServiceResult<S> = Or<
  { [M in keyof Service & keyof S]: ResultOf<NonNullable<S[M]>> }[keyof Service & keyof S],
  unknown
>

/** What `context.result` holds for a method. */
export type ResultAt<S, M> = string extends M ? ServiceResult<S> : ResultOf<Member<S, M>>

/** The arguments of a call by name, as a hook gets them. */
export type Call<S, M extends string> = string extends M
  ? { id?: Id; data?: ServiceData<S>; params: Params }
  : M extends string
    ? { params: ParamsOf<Member<S, M>, Like<S, M>> } & Arguments<S, Like<S, M>, Member<S, M>>
    : never

type Arguments<S, M, F> = M extends 'find'
  ? { id?: never; data?: never }
  : M extends 'get'
    ? { id: IdOf<F>; data?: never }
    : M extends 'remove'
      ? { get id(): IdOf<F>; set id(id: IdOf<F> | null); data?: never }
      : M extends HasIdAndData
        ? { get id(): IdOf<F>; set id(id: IdOf<F> | null); data: DataIn<S, M, F> }
        : { id?: never; data: DataIn<S, M, F> }

// biome-ignore lint/suspicious/noExplicitAny: it is whatever a client has sent
type DataIn<S, M, F> = unknown extends S ? any : DataOf<F, M>
