export const Dovetail = async ({ client, directory }) => {
  const parents = new Map() // of each session the one that started it; a sub-agent has a session of its own
  const requests = new Map() // of each top session the newest message of the user

  const topOf = async (session) => {
    let at = session
    for (let depth = 0; depth < 20; depth++) {
      if (!parents.has(at)) {
        try {
          const found = await client.session.get({ path: { id: at } })
          parents.set(at, found.data?.parentID ?? null)
        } catch {
          parents.set(at, null)
        }
      }
      const parent = parents.get(at)
      if (!parent) return at
      at = parent
    }
    return at
  }

  const about = async (name, session, more) => {
    try {
      const top = await topOf(session)
      if (more.message) requests.set(top, top === session ? more.message : requests.get(top))
      return await send({
        agent: "opencode",
        hook_event_name: name,
        session_id: top,
        prompt_id: requests.get(top) ?? "",
        cwd: directory,
        ...(top === session ? {} : { agent_id: session }),
        ...more.fields,
      })
    } catch {
      return null // whatever it was, the agent goes on
    }
  }

  return {
    "chat.message": async (input, output) => {
      const text = (output.parts ?? []).map((part) => (part.type === "text" && !part.synthetic ? part.text : "")).join("")
      await about("chat.message", input.sessionID, { message: output.message?.id, fields: { prompt: text } })
    },
    "tool.execute.before": async (input, output) => {
      const answer = await about("tool.execute.before", input.sessionID, {
        fields: { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID },
      })
      if (answer?.refused) throw new Error(answer.refused)
      if (answer?.args) Object.assign(output.args, answer.args)
    },
    "tool.execute.after": async (input, output) => {
      const answer = await about("tool.execute.after", input.sessionID, {
        fields: { tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID },
      })
      if (answer?.context) output.output += `\n${answer.context}`
    },
    event: async ({ event }) => {
      if (event.type === "session.created") parents.set(event.properties.info.id, event.properties.info.parentID ?? null)
      if (event.type === "session.idle") await about("session.idle", event.properties.sessionID, { fields: {} })
    },
  }
}
