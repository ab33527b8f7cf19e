"""The room `llm`."""
