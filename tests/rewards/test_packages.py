"""The rewards inside the packages that call them. `tools/check_training.py` installs them and runs these tests."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dovetail import rewards

PAGE = Path(__file__).parents[2] / "docs" / "rewards.md"
FILES = {"app.py": "x = 1\n"}
TRUTH = {"app.py": "x = 2\n"}


def edit(value: str) -> str:
    return f"app.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = {value}\n>>>>>>> REPLACE\n```"


CALL = {"path": "app.py", "old_string": "x = 1", "new_string": "x = 2"}


@pytest.mark.filterwarnings("ignore")  # the packages' own
def test_trl_trains_a_model_to_write_the_right_edit(tmp_path: Path) -> None:
    """A model of five words, three of them whole replies, learns by GRPO which of them is right."""
    pytest.importorskip("trl")
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, models
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    words = ["<pad>", "<eos>", "Set x to 2.", edit("2"), edit("3"), "I would rather not."]
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<pad>")),
        pad_token="<pad>",
        eos_token="<eos>",
    )
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(words), max_position_embeddings=8, **sizes, **ends))
    # Two rows of other paths: the column of a dataset has the paths of all its rows, None for those of another row.
    rows = [{"prompt": words[2], "files": FILES, "truth": TRUTH}, {"prompt": "-", "files": {"b": "b"}, "truth": {}}]
    args = GRPOConfig(
        output_dir=str(tmp_path),
        use_cpu=True,
        bf16=False,
        seed=1,
        learning_rate=0.05,
        max_steps=12,
        per_device_train_batch_size=16,
        num_generations=16,
        max_completion_length=1,
        logging_steps=1,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=rewards.trl_reward,
        args=args,
        train_dataset=Dataset.from_list(rows).select([0]),
        processing_class=tokenizer,
    )
    trainer.train()
    steps = [step for step in trainer.state.log_history if "reward" in step]
    first, last = steps[0], steps[-1]
    assert first["grad_norm"] > 0
    for step in steps:  # of each reply the value is known: 1 if right, -1 if wrong, else 0
        assert step["rewards/trl_reward/mean"] == pytest.approx(step["edits/right"] - step["edits/wrong"], abs=1e-5)
    assert first["edits/right"] < 0.7 < last["edits/right"]


def test_verifiers_scores_a_trace() -> None:
    """By methods of a task, and by functions that its configuration names."""
    pytest.importorskip("verifiers.v1")
    import verifiers.v1 as vf

    class EditData(vf.TaskData):  # type: ignore[misc]
        files: dict[str, str]
        truth: dict[str, str] | None = None

    class EditTask(vf.Task):  # type: ignore[misc]
        @vf.reward  # type: ignore[untyped-decorator]
        async def edits(self, trace: Any) -> float:
            return await rewards.verifiers_reward(self.data, trace)

        @vf.metric  # type: ignore[untyped-decorator]
        async def parts(self, trace: Any) -> dict[str, float]:
            return await rewards.verifiers_metrics(self.data, trace)

    data = EditData(prompt="Set x to 2.", files=FILES, truth=TRUTH)
    named = vf.TaskConfig(
        rewards={"edits": {"fn": "dovetail.rewards:verifiers_reward"}},
        metrics={"parts": {"fn": "dovetail.rewards:verifiers_metrics"}},
    )

    def scored(task: Any, **message: Any) -> Any:
        node = vf.MessageNode(message=vf.AssistantMessage(**message), sampled=True)
        agent = vf.AgentInfo(config=vf.AgentConfig())
        trace = vf.Trace(task=vf.TraceTask(type="EditTask", data=data), agent=agent, nodes=[node])
        asyncio.run(task.score(trace))
        return trace

    call = vf.ToolCall(id="1", name="edit_file", arguments=json.dumps(CALL))
    for task in (EditTask(data), vf.Task(data, named)):
        right, wrong = scored(task, content=edit("2")), scored(task, content=edit("3"))
        assert (right.rewards["edits"].value, wrong.rewards["edits"].value) == (1.0, -1.0)
        assert (right.metrics["edits_right"], wrong.metrics["edits_wrong"]) == (1.0, 1.0)
        assert scored(task, tool_calls=[call]).rewards["edits"].value == 1.0


@pytest.mark.filterwarnings("ignore")  # the package's own
def test_inspect_ai_scores_samples_and_logs(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai import Task, eval  # noqa: A004 - its name
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate

    from dovetail.adapters.inspect_scorer import edits

    called = ModelOutput.for_tool_call("m", "edit_file", CALL)
    outputs = [*(ModelOutput.from_content("m", text) for text in (edit("2"), edit("3"), "No.")), called]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=7, total_tokens=8)  # else it loads a tokenizer
    known = {"files": FILES, "truth": TRUTH}
    samples = [Sample(id=n, input="Set x to 2.", metadata=known) for n in range(3)]
    samples.append(Sample(id=3, input="Set x to 2.", target=json.dumps(TRUTH), metadata={"files": FILES}))
    task = Task(dataset=samples, solver=generate(tool_calls="none"), scorer=edits(rewards.Weights(wrong=-2.0)))
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(task, model=model, display="none", log_dir=str(tmp_path), max_samples=1)
    assert log.status == "success"
    values = [sample.scores["edits"].value for sample in log.samples]
    assert [value["value"] for value in values] == [1.0, -2.0, 0.0, 1.0]
    assert [value["tokens"] for value in values] == [7.0] * 4
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert (means["right"], means["wrong"], means["found"]) == (0.5, 0.25, 0.75)

    inspect = [sys.executable, "-m", "inspect_ai", "score", log.location, "--scorer", "dovetail/edits"]
    again = subprocess.run([*inspect, "--overwrite", "--action", "overwrite"], capture_output=True, text=True)
    assert again.returncode == 0, again.stdout + again.stderr


def test_the_samples_of_the_page_run() -> None:
    pytest.importorskip("verifiers.v1")
    samples = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    messages = [{"role": "assistant", "content": edit("2")}]
    names = {"reply": edit("2"), "messages": messages, "files": FILES, "truth": TRUTH, "request": "Set x to 2."}
    for sample in samples:
        if "GRPOTrainer" not in sample:  # which the first test calls
            exec(compile(sample, "rewards.md", "exec"), names)  # noqa: S102
    assert names["scored"].value == 1.0
