"""Dovetail inside other programs' agents, one small module a program. Each needs that program's own package.

- `openai_agents`: the editor of the OpenAI Agents SDK's `ApplyPatchTool`.
- `deep_agents`: a backend for deepagents.
- `inspect_scorer`: a scorer for inspect_ai.
- `llm_plugin`: tools and a command for `llm`.
"""
