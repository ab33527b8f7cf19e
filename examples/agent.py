"""An agent in one file: a model reads and edits a project through Dovetail's tools, and can undo what it did.

    OPENAI_API_KEY=… python examples/agent.py "Greet in Dutch." [FOLDER]

Asks any OpenAI-compatible address (OPENAI_BASE_URL, OPENAI_MODEL) with nothing but the standard library.
"""

import json
import os
import sys
import urllib.request

from dovetail.tools import Toolbox, definitions

BASE_URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MODEL = os.environ.get("OPENAI_MODEL", "gpt-5.1")
SYSTEM = "You edit the user's project with the tools. Read a file before you change it. Stop when it is done."
TURNS = 20


def ask(messages: list[dict]) -> dict:
    body = {"model": MODEL, "messages": messages, "tools": definitions("openai")}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
    request = urllib.request.Request(f"{BASE_URL}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)["choices"][0]["message"]


def main(wish: str, folder: str = ".") -> None:
    box = Toolbox(folder)
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": wish}]
    for _ in range(TURNS):
        message = ask(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            print(message["content"])
            return
        for call in message["tool_calls"]:
            unknown = {"role": "tool", "tool_call_id": call["id"], "content": "There is no such tool."}
            result = box.answer(call) or unknown
            print(f"{call['function']['name']}: {result['content'].splitlines()[0]}")
            messages.append(result)


if __name__ == "__main__":
    main(*sys.argv[1:])
