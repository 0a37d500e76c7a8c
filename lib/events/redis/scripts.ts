/*
 * Atomic operations in Redis. `log` is the stream. `processes` is a hash: for each process that is
 * alive, the time of its last heartbeat by the clock of Redis in ms, and the number of its last
 * batch in the log.
 */
const opening = `
local log, processes, process = KEYS[1], KEYS[2], ARGV[1]
local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
newest = newest and newest[1] or ''
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own = redis.call('HGET', processes, process)
local last = own and tonumber(string.match(own, '%S+$'))

local function add(...)
  newest = redis.call('XADD', log, '*', 'previous', newest, ...)
end
local function setBeat(batch)
  redis.call('HSET', processes, process, string.format('%.0f', now) .. ' ' .. batch)
end
`

/**
 * Appends a batch. Arguments: the process, the number of the batch, how many events the log keeps,
 * whether events before it were dropped, then the JSON of each event. A batch with a known number
 * is there already: it was sent again after a connection had ended. For a process that was given
 * up, the numbers are forgotten, so it appends a loss instead.
 */
export const appendScript = `${opening}
local batch = tonumber(ARGV[2])
if last and last >= batch then return newest end
for i = 5, #ARGV do add('event', ARGV[i]) end
if ARGV[4] == '1' or last ~= batch - 1 then add('loss', '1') end
redis.call('XTRIM', log, 'MAXLEN', '=', ARGV[3])
setBeat(ARGV[2])
return newest
`

/**
 * A heartbeat. Arguments: the process, the number of its last batch, whether it has joined before,
 * after how many ms without a heartbeat a process is given up, and how long events are kept, in
 * ms. Returns the id of the newest entry.
 */
export const beatScript = `${opening}
local isLost = ARGV[3] == '1' and not own
local all = redis.call('HGETALL', processes)
for i = 1, #all, 2 do
  if all[i] ~= process and tonumber(string.match(all[i + 1], '^%d+')) < now - ARGV[4] then
    redis.call('HDEL', processes, all[i])
    isLost = true
  end
end
if isLost then add('loss', '1') end
if newest == '' then add('begin', '1') end
-- The number in the hash may be newer. The number of a process that was given up is not known: its
-- next batch may be in the log already, and appends a loss.
setBeat(last or ARGV[2])
local oldest = string.format('%.0f', now - ARGV[5])
local newestTime = string.match(newest, '^%d+')
-- Keep the newest entry, however old it is: the next one names it.
if tonumber(newestTime) < tonumber(oldest) then oldest = newest end
redis.call('XTRIM', log, 'MINID', '=', oldest)
return newest
`
