import { SequelizeService } from 'feathers-sequelize'
import { DataTypes, Op, Sequelize } from 'sequelize'
import { checkAdapter } from './adapter-suite.js'
import { database } from './database.js'
import { request } from './serve.js'

export const notes = "PostgreSQL rejects ids that aren't numbers"

/** The suite of the database adapters, and what the package has besides. */
export async function run(t) {
  const { url } = await database()
  const sequelize = new Sequelize(url, { logging: false, pool: { max: 1 } })
  const define = async () => {
    const Model = sequelize.define(
      'people',
      { name: DataTypes.STRING, age: DataTypes.INTEGER, time: DataTypes.INTEGER, created: DataTypes.BOOLEAN },
      { timestamps: false, freezeTableName: true }
    )
    await Model.sync({ force: true })
    return Model
  }
  const create = async () => new SequelizeService({ Model: await define(), events: ['testing'] })
  await checkAdapter(t, 'inside', create)
  await checkAdapter(t, 'over HTTP', create, { isRemote: true })
  await t.check(
    'operators of its own',
    async (side) => {
      const people = side.use(
        'people',
        new SequelizeService({
          Model: await define(),
          multi: true,
          operatorMap: { $iLike: Op.iLike },
          operators: ['$iLike']
        })
      )
      const base = await side.listen()
      await people.create([{ name: 'Ada' }, { name: 'Bob' }])
      return (await request(`${base}/people?name[$iLike]=a%25`, 'GET'))[1].map(({ name }) => name)
    },
    ['Ada']
  )
  await t.check(
    'instances, where raw is false',
    async (side) => {
      side.use('people', new SequelizeService({ Model: await define(), raw: false }))
      const base = await side.listen()
      const [status, { id, name }] = await request(`${base}/people`, 'POST', { name: 'Ada' })
      return [status, (await side.service('people').get(id)).constructor.name, name]
    },
    [201, 'people', 'Ada']
  )
  await sequelize.close()
}
