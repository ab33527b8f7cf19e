export default function (pi) {
  let request = 0 // of the session, the user's newest

  const about = async (name, context, fields) => {
    try {
      return await send({
        agent: "pi",
        hook_event_name: name,
        session_id: context.sessionManager.getSessionId(),
        prompt_id: String(request),
        cwd: context.cwd,
        ...fields,
      })
    } catch {
      return null // whatever it was, the agent goes on
    }
  }
  const tool = (event) => ({ tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId })

  pi.on("before_agent_start", async (event, context) => {
    request = Date.now()
    await about("before_agent_start", context, { prompt: event.prompt })
  })
  pi.on("tool_call", async (event, context) => {
    const answer = await about("tool_call", context, tool(event))
    if (answer?.refused) return { block: true, reason: answer.refused }
    if (answer?.args) Object.assign(event.input, answer.args)
  })
  pi.on("tool_result", async (event, context) => {
    const answer = await about("tool_result", context, { ...tool(event), ...(event.isError ? { error: "failed" } : {}) })
    if (answer?.context) return { content: [...event.content, { type: "text", text: answer.context }] }
  })
  pi.on("agent_end", async (_event, context) => {
    await about("agent_end", context, {})
  })
  pi.on("session_shutdown", async (_event, context) => {
    await about("session_shutdown", context, {})
  })
}
