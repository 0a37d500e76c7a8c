/** A request to the application, as somebody who has logged in, or as nobody. */
export interface Step {
  readonly as?: 'ada' | 'bob'
  readonly verb: string
  readonly url: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Options = Omit<Step, 'verb' | 'url' | 'body'>
const json = { 'content-type': 'application/json' }

const send = (verb: string, url: string, data?: unknown, { headers, ...rest }: Options = {}): Step => ({
  verb,
  url,
  ...rest,
  ...(data === undefined
    ? { headers: { ...headers } }
    : { body: typeof data === 'string' ? data : JSON.stringify(data), headers: { ...json, ...headers } })
})
const get = (url: string, options?: Options) => send('GET', url, undefined, options)
const remove = (url: string, options?: Options) => send('DELETE', url, undefined, options)
const [ada, bob] = [{ as: 'ada' } as const, { as: 'bob' } as const]
const asMethod = (name: string) => ({ ...ada, headers: { 'x-service-method': name } })

export const users = {
  ada: { email: 'ada@example.com', password: 'correct horse' },
  bob: { email: 'bob@example.com', password: 'battery staple' }
}
const login = (data: object) => send('POST', '/authentication', data)
const bearer = (token: string) => ({ headers: { authorization: token } })

/** What is sent, in this order, by name: a later request finds what earlier ones have written. */
export const steps: Readonly<Record<string, Step>> = {
  // Users and log-ins
  'sign up': send('POST', '/users', users.ada),
  'sign up another': send('POST', '/users', { ...users.bob, avatar: 'https://example.com/bob.png' }),
  'sign up with the same address': send('POST', '/users', users.ada),
  'sign up without an address': send('POST', '/users', { password: 'x' }),
  'sign up with a field too many': send('POST', '/users', { ...users.ada, role: 'admin' }),
  'sign up with an address of another type': send('POST', '/users', { ...users.ada, email: 1 }),
  'sign up of two at once': send('POST', '/users', [users.ada, users.bob]),
  'sign up with a form': send('POST', '/users', 'email=carl%40example.com&password=carl', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' }
  }),
  'log in': login({ strategy: 'local', ...users.ada }),
  'log in with a wrong password': login({ strategy: 'local', ...users.ada, password: 'wrong' }),
  'log in as nobody': login({ strategy: 'local', email: 'nobody@example.com', password: 'x' }),
  'log in without a strategy': login(users.ada),
  'log in with an unknown strategy': login({ strategy: 'github', ...users.ada }),
  'log in without a password': login({ strategy: 'local', email: users.ada.email }),
  'log in with a query for a name': login({ strategy: 'local', email: { $gt: '' }, password: 'x' }),
  'log in with what is no token': login({ strategy: 'jwt', accessToken: 'nonsense' }),
  'users without a token': get('/users'),
  'users with a bad token': get('/users', bearer('Bearer nonsense')),
  'users with a scheme of another kind': get('/users', bearer('Basic YTpi')),
  'the list of users is the user': get('/users', ada),
  'the list of users for another': get('/users', bob),
  'the user': get('/users/1', ada),
  'another user': get('/users/2', ada),
  'a user with fields selected': get('/users/1?$select[]=email', ada),
  'a user by address': get('/users?email=ada%40example.com', ada),
  'a user by what is no field': get('/users?password=x', ada),
  'change of the avatar': send('PATCH', '/users/1', { avatar: 'https://example.com/ada.png' }, ada),
  'change of another user': send('PATCH', '/users/2', { avatar: 'x' }, ada),
  'change of the password': send('PATCH', '/users/2', { password: 'new secret' }, bob),
  'log in with the old password': login({ strategy: 'local', ...users.bob }),
  'log in with the new password': login({ strategy: 'local', ...users.bob, password: 'new secret' }),
  'change of all users': send('PATCH', '/users', { avatar: 'x' }, ada),
  'replacement of a user': send('PUT', '/users/1', users.ada, ada),
  'removal without a token': remove('/users/1'),
  // Messages
  'messages without a token': get('/messages'),
  'no messages': get('/messages', ada),
  'a message': send('POST', '/messages', { text: 'One' }, ada),
  'a message of another': send('POST', '/messages', { text: 'Two' }, bob),
  'a third message': send('POST', '/messages', { text: 'Three ä €' }, ada),
  'a message with the type in another case': send('POST', '/messages', '{"text":"Four"}', {
    ...ada,
    headers: { 'content-type': 'Application/JSON; charset=utf-8' }
  }),
  'a message without a text': send('POST', '/messages', {}, ada),
  'a message with a text of another type': send('POST', '/messages', { text: 1 }, ada),
  'a message in the name of another': send('POST', '/messages', { text: 'x', userId: 2 }, ada),
  'a message without a token': send('POST', '/messages', { text: 'x' }),
  'several messages at once': send('POST', '/messages', [{ text: 'x' }, { text: 'y' }], ada),
  'a message that is broken JSON': send('POST', '/messages', '{', ada),
  'a message that is null': send('POST', '/messages', 'null', ada),
  'a message that is a text': send('POST', '/messages', '"x"', ada),
  'a message of another media type': send('POST', '/messages', 'x', {
    ...ada,
    headers: { 'content-type': 'text/plain' }
  }),
  'a message without a body': { ...send('POST', '/messages', undefined, ada) },
  'a message with a query': send('POST', '/messages?text=x', { text: 'Five' }, ada),
  'a message with a query that is none': send('POST', '/messages?role=x', { text: 'x' }, ada),
  'all messages': get('/messages', ada),
  'all messages for another': get('/messages', bob),
  'messages with a slash': get('/messages/', ada),
  'messages by text': get('/messages?text=One', ada),
  'messages by user': get('/messages?userId=2', ada),
  'messages by several users': get('/messages?userId[$in][]=1&userId[$in][]=2', ada),
  'messages by a range': get('/messages?id[$gt]=1&id[$lte]=3', ada),
  'messages but one': get('/messages?text[$ne]=One', ada),
  'messages by alternatives': get('/messages?$or[0][text]=One&$or[1][text]=Two', ada),
  'messages sorted': get('/messages?$sort[id]=-1', ada),
  'messages sorted by two fields': get('/messages?$sort[userId]=-1&$sort[id]=1', ada),
  'messages limited': get('/messages?$limit=2&$sort[id]=1', ada),
  'messages skipped': get('/messages?$limit=2&$skip=2&$sort[id]=1', ada),
  'messages without records': get('/messages?$limit=0', ada),
  'messages beyond the limit': get('/messages?$limit=1000', ada),
  'messages with fields selected': get('/messages?$select[]=text&$select[]=userId', ada),
  'messages by an encoded text': get('/messages?text=Three%20%C3%A4%20%E2%82%AC', ada),
  'messages by text with a plus': get('/messages?text=Three+%C3%A4+%E2%82%AC', ada),
  'messages by what is no field': get('/messages?role=x', ada),
  'messages by an unknown operator': get('/messages?text[$regex]=x', ada),
  'messages by a limit that is no number': get('/messages?$limit=x', ada),
  'messages by an id that is no number': get('/messages?id=x', ada),
  'messages with a name twice': get('/messages?text=One&text=Two', ada),
  'messages of the prototype': get('/messages?__proto__[a]=1&text=One', ada),
  'one message': get('/messages/1', ada),
  'one message of another': get('/messages/2', ada),
  'one message with fields selected': get('/messages/1?$select[]=text', ada),
  'one message by a query that fits': get('/messages/1?text=One', ada),
  'one message by a query that does not': get('/messages/1?text=Two', ada),
  'one message that is not there': get('/messages/99', ada),
  'one message by an id that is no number': get('/messages/x', ada),
  'one message by an encoded id': get('/messages/%31', ada),
  'one message with a slash': get('/messages/1/', ada),
  'one message without a token': get('/messages/1'),
  'the head of a message': send('HEAD', '/messages/1', undefined, ada),
  'the head of what is not there': send('HEAD', '/messages/99', undefined, ada),
  'change of a message': send('PATCH', '/messages/1', { text: 'One!' }, ada),
  'change of a message of another': send('PATCH', '/messages/2', { text: 'Mine' }, ada),
  'change of a message with a field that may not': send('PATCH', '/messages/1', { userId: 2 }, ada),
  'change of nothing': send('PATCH', '/messages/1', {}, ada),
  'change of a message that is not there': send('PATCH', '/messages/99', { text: 'x' }, ada),
  'change of all messages': send('PATCH', '/messages', { text: 'x' }, ada),
  'change of an empty id': send('PATCH', '/messages/', { text: 'x' }, ada),
  'a method that is not exposed': send('PUT', '/messages/1', { text: 'x' }, ada),
  'a POST to a message': send('POST', '/messages/1', {}, ada),
  OPTIONS: send('OPTIONS', '/messages', undefined, ada),
  'a custom method': send('POST', '/messages', { id: 1 }, asMethod('archive')),
  'a custom method without a token': send(
    'POST',
    '/messages',
    { id: 1 },
    { headers: { 'x-service-method': 'archive' } }
  ),
  'a custom method that is not there': send('POST', '/messages', {}, asMethod('publish')),
  'a method of every service': send('POST', '/messages', {}, asMethod('setup')),
  'a method of emitters': send('POST', '/messages', {}, asMethod('emit')),
  'a method of the adapter': send('POST', '/messages', {}, asMethod('_find')),
  'one of the six by its name': send('POST', '/messages', {}, asMethod('find')),
  'removal of a message of another': remove('/messages/2', ada),
  'removal of a message': remove('/messages/1', ada),
  'removal of what was removed': remove('/messages/1', ada),
  'removal of all messages': remove('/messages', ada),
  'removal of an empty id': remove('/messages/', ada),
  'no route': get('/nothing', ada),
  'no route below a message': get('/messages/1/2', ada),
  'a path in other case': get('/Messages', ada),
  'log out without a token': remove('/authentication'),
  'log out': remove('/authentication', ada),
  'the user after the log-out': get('/users/1', ada),
  'removal of the user': remove('/users/1', ada),
  'the token of a user who was removed': get('/messages', ada)
}
