import type { Like } from './custom-route.js'
import type { DataOf, HasIdAndData, IdOf, Member, Or, ParamsOf, ResultOf } from './method.js'
import type { Id, Params, Service } from './service.js'
import type { Untyped, UntypedParams } from './untyped.js'

/** What `context.data` holds for a service of type `S`, whatever the method. */
type ServiceData<S> = unknown extends S
  ? Untyped
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
export type ResultAt<S, M> = unknown extends S ? Untyped : string extends M ? ServiceResult<S> : ResultOf<Member<S, M>>

/** The arguments of a call by name, as a hook gets them. */
export type Call<S, M extends string> = string extends M
  ? { id?: Id; data?: ServiceData<S>; params: ParamsIn<S, Params> }
  : M extends string
    ? { params: ParamsIn<S, ParamsOf<Member<S, M>, Like<S, M>>> } & Arguments<S, Like<S, M>, Member<S, M>>
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

type ParamsIn<S, P> = unknown extends S ? UntypedParams : P
type DataIn<S, M, F> = unknown extends S ? Untyped : DataOf<F, M>
