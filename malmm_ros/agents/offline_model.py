"""The offline model as a pydantic-ai model in this process; the same path as any endpoint's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from malmm_ros.agents.messages import ChatMessage, estimate_tokens

AnswerFunction = Callable[[Sequence[ChatMessage]], str | ModelResponse]


def offline_model() -> FunctionModel:
    """The rule-based stand-in that needs no network."""
    from malmm_ros.agents.offline import answer

    return function_model(answer, name="offline")


def function_model(answer: AnswerFunction, *, name: str) -> FunctionModel:
    """Make a model of a function from a chat to the answer: its text, or the whole response."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info  # no tools, no output schema: everything is in the chat
        chat = to_chat(messages)
        text = answer(chat)
        if isinstance(text, ModelResponse):
            return text
        usage = RequestUsage(
            input_tokens=sum(estimate_tokens(item.content) for item in chat),
            output_tokens=estimate_tokens(text),
        )
        return ModelResponse(parts=[TextPart(text)], usage=usage, model_name=name)

    return FunctionModel(respond, model_name=name)


def to_chat(messages: Sequence[ModelMessage]) -> list[ChatMessage]:
    """Bring pydantic-ai's messages back to plain chat messages."""
    chat: list[ChatMessage] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, SystemPromptPart):
                    chat.append(ChatMessage("system", part.content))
                elif isinstance(part, UserPromptPart):
                    chat.append(ChatMessage("user", str(part.content)))
        else:
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            chat.append(ChatMessage("assistant", text))
    return chat
